import type { JsonObject } from '@perigee/api/json';
import { numberAt, objectAt, textAt } from '../../kinds/fields.ts';
import { metaOf } from '../../registry/metadata.ts';
import type { Registry } from '../../registry/registry.ts';
import { forbidden } from '../../status/object-refusals.ts';
import type { AdmissionStep } from '../admission-step.ts';

interface Priority {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}

const PREEMPTS = 'PreemptLowerPriority';

/** The classes that every cluster has, whether or not somebody has stored them. */
const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

const priorityOf = (stored: JsonObject): Priority => ({
  name: metaOf(stored).name ?? '',
  value: numberAt(stored, 'value') ?? 0,
  preemptionPolicy: textAt(stored, 'preemptionPolicy') || PREEMPTS,
});

const classNamed = ({ store }: Registry, table: string, name: string): Priority | undefined => {
  const stored = store.get(table, name);
  if (stored !== undefined) return priorityOf(stored.object);
  const value = SYSTEM_CLASSES.get(name);
  return value === undefined ? undefined : { name, value, preemptionPolicy: PREEMPTS };
};

/** Of several that want to be the default, the lowest is. */
const defaultClass = ({ store }: Registry, table: string): Priority =>
  store
    .range(table)
    .entries.map(({ object }) => object)
    .filter(({ globalDefault }) => globalDefault === true)
    .map(priorityOf)
    .reduce<Priority | undefined>(
      (lowest, one) => (lowest === undefined || one.value < lowest.value ? one : lowest),
      undefined,
    ) ?? { name: '', value: 0, preemptionPolicy: PREEMPTS };

const BY_CLASS = 'priority admission controller computed';

/** Why a pod that says more than its class is refused. */
const contradiction = (spec: JsonObject, { value, preemptionPolicy }: Priority) => {
  const priority = numberAt(spec, 'priority');
  if (priority !== undefined && priority !== value) {
    return `the integer value of priority (${priority}) must not be provided in pod spec; ${BY_CLASS} ${value} from the given PriorityClass name`;
  }
  const policy = textAt(spec, 'preemptionPolicy');
  return policy === '' || policy === preemptionPolicy
    ? undefined
    : `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; ${BY_CLASS} ${preemptionPolicy} from the given PriorityClass name`;
};

/** A new pod has the priority of its class, or of the class that is the default. */
export const podPriority: AdmissionStep = (registry, { resource, object, old, subresource }) => {
  if (resource.group !== '' || resource.plural !== 'pods') return object;
  if (old !== undefined || subresource !== undefined) return object;
  const spec = objectAt(object, 'spec');
  const wanted = textAt(spec, 'priorityClassName');
  const { name = '' } = metaOf(object);
  const table = `${registry.cluster}/scheduling.k8s.io/priorityclasses`;
  const priority =
    wanted === '' ? defaultClass(registry, table) : classNamed(registry, table, wanted);
  if (priority === undefined) {
    throw forbidden(resource, name, `no PriorityClass with name ${wanted} was found`);
  }
  const problem = contradiction(spec, priority);
  if (problem !== undefined) throw forbidden(resource, name, problem);
  return {
    ...object,
    spec: {
      ...spec,
      ...(priority.name === '' ? {} : { priorityClassName: priority.name }),
      priority: priority.value,
      preemptionPolicy: priority.preemptionPolicy,
    },
  };
};
