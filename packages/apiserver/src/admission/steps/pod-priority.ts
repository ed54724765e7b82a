import type { JsonObject } from '@perigee/schema/json';
import { filled, numberAt, objectAt, textAt } from '@perigee/schema/json-fields';
import type { AdmissionStep } from '../../registry/draft.ts';
import { metaOf } from '../../registry/metadata.ts';
import type { Registry } from '../../registry/registry.ts';
import { forbidden } from '../../status/object-refusals.ts';

const table = ({ cluster }: Registry): string => `${cluster}/scheduling.k8s.io/priorityclasses`;

/** The class of pods that name none: of several, the lowest. There are few classes. */
const defaultClass = (registry: Registry): JsonObject | undefined =>
  registry.store
    .range(table(registry))
    .entries.map(({ object }) => object)
    .filter(({ globalDefault }) => globalDefault === true)
    .toSorted((a, b) => (numberAt(a, 'value') ?? 0) - (numberAt(b, 'value') ?? 0))[0];

/** An update that omits the priority keeps it. */
const keptPriority = (spec: JsonObject, { priority, preemptionPolicy }: JsonObject): JsonObject =>
  filled(spec, { priority, preemptionPolicy });

/** Sets the priority of a pod from its class. */
export const podPriority: AdmissionStep = (registry, { resource, object, old, subresource }) => {
  const isPod = resource.group === '' && resource.plural === 'pods';
  if (!isPod || subresource !== undefined) return object;
  const spec = objectAt(object, 'spec');
  if (old !== undefined) return { ...object, spec: keptPriority(spec, objectAt(old, 'spec')) };
  const { name = '' } = metaOf(object);
  const requestedClass = textAt(spec, 'priorityClassName');
  const priorityClass =
    requestedClass === ''
      ? defaultClass(registry)
      : registry.store.get(table(registry), requestedClass)?.object;
  if (requestedClass !== '' && priorityClass === undefined) {
    throw forbidden(resource, name, `no PriorityClass with name ${requestedClass} was found`);
  }
  const priority = numberAt(priorityClass ?? {}, 'value') ?? 0;
  const specPriority = numberAt(spec, 'priority');
  if (specPriority !== undefined && specPriority !== priority) {
    const why = `the integer value of priority (${specPriority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`;
    throw forbidden(resource, name, why);
  }
  const policy = textAt(priorityClass ?? {}, 'preemptionPolicy') || 'PreemptLowerPriority';
  const own = textAt(spec, 'preemptionPolicy');
  if (own !== '' && own !== policy) {
    const why = `the string value of PreemptionPolicy (${own}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`;
    throw forbidden(resource, name, why);
  }
  const className =
    priorityClass === undefined ? {} : { priorityClassName: metaOf(priorityClass).name ?? '' };
  return { ...object, spec: filled(spec, { ...className, priority, preemptionPolicy: policy }) };
};

/** Only one class can be the global default. */
export const oneDefaultClass: AdmissionStep = (registry, { resource, object }) => {
  if (resource.plural !== 'priorityclasses' || object.globalDefault !== true) return object;
  const present = metaOf(defaultClass(registry) ?? {}).name;
  const { name = '' } = metaOf(object);
  if (present === undefined || present === name) return object;
  const why = `PriorityClass ${present} is already marked as default. Only one default can exist`;
  throw forbidden(resource, name, why);
};
