import {
  formatResourceList,
  maxResourceList,
  type ResourceList,
  sumResourceLists,
} from '@perigee/api/values/resource-list';
import type { JsonObject } from '@perigee/schema/json';
import { changedAt, filled, objectAt, objectsAt } from '@perigee/schema/json-fields';
import { nanosOf, type Quantity, quantityOfNanos } from '@perigee/schema/values/quantity';
import { formatQuantity } from '@perigee/schema/values/quantity-text';
import { readQuantities, readQuantity } from '../quantities.ts';
import type { Default } from '../type-defaults.ts';

const NANOS_PER_MILLI = 1_000_000n;

const roundedUp = (quantity: Quantity): Quantity => {
  const nanos = nanosOf(quantity);
  const rest = nanos % NANOS_PER_MILLI;
  if (rest === 0n) return quantity;
  return quantityOfNanos(nanos - rest + (nanos > 0n ? NANOS_PER_MILLI : 0n), quantity.format);
};

/** Amounts are kept in thousandths; what is finer is rounded up. */
const inMillis: Default = (list) => {
  let roundedAmounts: { [name: string]: string } | undefined;
  for (const [name, value] of Object.entries(list)) {
    const quantity = readQuantity(value);
    if (quantity === undefined) continue;
    const rounded = roundedUp(quantity);
    if (rounded === quantity) continue;
    roundedAmounts ??= {};
    roundedAmounts[name] = formatQuantity(rounded);
  }
  return roundedAmounts === undefined ? list : { ...list, ...roundedAmounts };
};

const inMillisAt =
  (...names: readonly string[]): Default =>
  (value) =>
    names.reduce((object, name) => changedAt(object, name, inMillis), value);

const requestsOf = (container: JsonObject): ResourceList =>
  readQuantities(objectAt(container, 'resources', 'requests'));

/** Requests of a pod: the sum of its lasting containers, or more if an init container before them needs more. */
const requestsOfContainers = (spec: JsonObject): ResourceList => {
  const before = objectsAt(spec, 'initContainers');
  const isSidecar = ({ restartPolicy }: JsonObject): boolean => restartPolicy === 'Always';
  const staying = [...objectsAt(spec, 'containers'), ...before.filter(isSidecar)];
  return before
    .filter((container) => !isSidecar(container))
    .map(requestsOf)
    .reduce(maxResourceList, sumResourceLists(staying.map(requestsOf)));
};

/** A pod with limits of its own requests what its containers do, and its limits apart from that. */
export const withPodRequests: Default = (spec) => {
  const limits = objectAt(spec, 'resources', 'limits');
  if (Object.keys(limits).length === 0) return spec;
  const { cpu, memory } = formatResourceList(requestsOfContainers(spec));
  return changedAt(spec, 'resources', (resources) => {
    const requests = filled(filled(objectAt(resources, 'requests'), { cpu, memory }), limits);
    return { ...resources, requests };
  });
};

export const RESOURCE_DEFAULTS: readonly (readonly [type: string, apply: Default])[] = [
  ['core.v1.ResourceRequirements', inMillisAt('limits', 'requests')],
  ['core.v1.VolumeResourceRequirements', inMillisAt('limits', 'requests')],
  ['core.v1.ResourceQuotaSpec', inMillisAt('hard')],
];
