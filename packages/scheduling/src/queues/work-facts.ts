import { createHash } from 'node:crypto';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Labels } from '@perigee/api/values/label-requirement';
import { type MarkedWork, queuedWorkOf } from '../placement/binding/queue-marks.ts';
import { divisionStrategy } from '../placement/scheduler/division-strategy.ts';
import { ancestorsOf, type QueueFamily } from './queue-family.ts';
import { mayUse } from './queue-rights.ts';

/** Inputs to queueing that the binding itself does not hold. */
export interface WorkFacts {
  readonly priority: number;
  /** True if the work's namespace may use the queue. */
  readonly isAllowed: boolean;
  /** The number of full copies, one per cluster; 1 if replicas are divided. */
  readonly copies: number;
  /** Work of the same shape fits in the same places. */
  readonly shape: string;
}

/** Lookups for queued work besides its binding. */
export interface WorkWorld {
  readonly queues: QueueFamily;
  readonly labelsOfNamespace: (name: string) => Labels;
  /** The value of a priority class, of the default class if unnamed; undefined if there is none. */
  readonly priorityOf: (className: string | undefined) => number | undefined;
  /** The number of clusters that would each run a full copy. */
  readonly copiesOf: (binding: ResourceBinding, shape: string) => number;
}

/** True if every target cluster gets all replicas. */
export const isWhole = ({ metadata, spec }: ResourceBinding): boolean =>
  divisionStrategy(spec.placement?.replicaScheduling) === 'duplicated' ||
  (spec.components ?? []).length > 0 ||
  queuedWorkOf(metadata)?.requests !== undefined;

/** A class that does not exist counts as none. */
const priorityOf = (
  { priorityClassName }: MarkedWork,
  { spec }: ResourceBinding,
  world: WorkWorld,
): number =>
  (priorityClassName === undefined ? undefined : world.priorityOf(priorityClassName)) ??
  spec.schedulePriority?.priority ??
  world.priorityOf(undefined) ??
  0;

const isAllowed = (
  { queue: name }: MarkedWork,
  namespace: string,
  { queues, labelsOfNamespace }: WorkWorld,
): boolean => {
  const queue = queues.get(name);
  if (queue === undefined) return true;
  const labels = labelsOfNamespace(namespace);
  return [queue, ...ancestorsOf(queue, queues)].every((one) => mayUse(one, labels));
};

/** Equal for work that fits in the same places. */
const shapeOf = ({ spec }: ResourceBinding, { requests }: MarkedWork): string => {
  const { placement, replicas, replicaRequirements, components, resource } = spec;
  const { apiVersion, kind } = resource;
  const evictedClusters = (spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster);
  const request = [replicas, replicaRequirements, components, requests];
  const parts = [placement, request, apiVersion, kind, evictedClusters];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64').slice(0, 22);
};

/** Derives the queueing inputs of a binding. */
export const workFacts = (
  binding: ResourceBinding,
  work: MarkedWork,
  world: WorkWorld,
): WorkFacts => {
  const shape = shapeOf(binding, work);
  return {
    priority: priorityOf(work, binding, world),
    isAllowed: isAllowed(work, binding.metadata.namespace ?? '', world),
    copies: isWhole(binding) ? world.copiesOf(binding, shape) : 1,
    shape,
  };
};
