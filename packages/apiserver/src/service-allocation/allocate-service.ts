import { withAddressList } from '@perigee/kubernetes/kinds/services/address-list';
import { isHeadless, needsAddress } from '@perigee/kubernetes/kinds/services/needs';
import { type FieldError, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import { metaOf } from '../registry/metadata.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { invalidObject } from '../status/object-refusals.ts';
import { internalError } from '../status/server-refusals.ts';
import { allocatePorts } from './allocate-ports.ts';
import type { Allocation } from './allocations-of.ts';
import { chooseFamilies } from './choose-families.ts';
import { freeNumber, isWithin, type NumberRange } from './number-range.ts';
import { addressOfNumber, numberOfAddress } from './service-network.ts';

/** Ranges to allocate from, and the present allocations. */
export interface Supply {
  readonly addresses: NumberRange;
  readonly isTaken: (allocation: Allocation) => boolean;
  /** A number in [0, 1). */
  readonly chance: () => number;
}

type Refuse = (errors: readonly FieldError[]) => Error;

const withFamilies = (spec: JsonObject, old: JsonObject, refuse: Refuse): JsonObject => {
  const names = ['ipFamilyPolicy', 'ipFamilies', 'clusterIPs'];
  const isSame = names.every((name) => spec[name] !== undefined && sameJson(spec[name], old[name]));
  // The allowed families depend on the presence of a selector.
  if (isSame && sameJson(objectAt(spec, 'selector'), objectAt(old, 'selector'))) return spec;
  const familyChoice = chooseFamilies(spec);
  if ('errors' in familyChoice) throw refuse(familyChoice.errors);
  return familyChoice.spec;
};

const freeAddress = ({ addresses, isTaken, chance }: Supply, name: string): string => {
  const number = freeNumber(addresses, (one) => isTaken(addressOfNumber(one)), chance());
  if (number !== undefined) return addressOfNumber(number);
  throw internalError(
    `failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`,
  );
};

const problemOf = ({ addresses, isTaken }: Supply, address: string): string | undefined => {
  if (!isWithin(addresses, numberOfAddress(address))) {
    return 'the provided network does not match the current range';
  }
  return isTaken(address) ? 'provided IP is already allocated' : undefined;
};

const withAddress = (
  spec: JsonObject,
  old: JsonObject,
  supply: Supply,
  name: string,
  refuse: Refuse,
): JsonObject => {
  if (isHeadless(spec)) return spec;
  const requestedAddress = textAt(spec, 'clusterIP');
  if (requestedAddress === '') {
    const clusterIP = freeAddress(supply, name);
    return { ...spec, clusterIP, clusterIPs: [clusterIP] };
  }
  if (needsAddress(old) && requestedAddress === old.clusterIP) return spec;
  const problem = problemOf(supply, requestedAddress);
  if (problem === undefined) return spec;
  const why = `failed to allocate IP ${requestedAddress}: ${problem}`;
  throw refuse([invalid('spec.clusterIPs', textsAt(spec, 'clusterIPs'), why)]);
};

/**
 * Gives a service the addresses and ports that it lacks. One that asks for what others have, or what is
 * not there to give, is refused.
 */
export const allocateService = (
  resource: ServedResource,
  service: JsonObject,
  old: JsonObject | undefined,
  supply: Supply,
): JsonObject => {
  const spec = objectAt(service, 'spec');
  const before = objectAt(old ?? {}, 'spec');
  const { name = '' } = metaOf(service);
  const refuse: Refuse = (errors) => invalidObject(resource, name, errors);
  const addressedSpec = needsAddress(spec)
    ? withAddress(withFamilies(spec, before, refuse), before, supply, name, refuse)
    : withAddressList(spec);
  const allocatedSpec = allocatePorts(addressedSpec, before, supply, refuse);
  return allocatedSpec === spec ? service : { ...service, spec: allocatedSpec };
};
