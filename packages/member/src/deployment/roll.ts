import type { Deployment } from '@perigee/kubernetes/apps/deployment';
import type { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { parseTime } from '@perigee/schema/values/time';
import { rollingBounds, wantedReplicas } from './rolling-bounds.ts';

/** A replica set, and how many pods it should have. */
export interface Scale {
  readonly set: ReplicaSet;
  readonly replicas: number;
}

type Sets = readonly ReplicaSet[];

export const replicasOf = ({ spec }: ReplicaSet): number => spec.replicas ?? 1;

export const totalReplicas = (sets: Sets): number =>
  sets.reduce((sum, set) => sum + replicasOf(set), 0);

/** A status that is behind may count pods that the set is about to lose: these are not relied on. */
const availableOf = (set: ReplicaSet): number =>
  Math.min(set.status?.availableReplicas ?? 0, replicasOf(set));

const createdAt = ({ metadata }: ReplicaSet): number => parseTime(metadata.creationTimestamp);

export const oldestFirst = (a: ReplicaSet, b: ReplicaSet): number =>
  createdAt(a) - createdAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1);

/** The size that a new set may have beside the old ones. */
export const newSetReplicas = (deployment: Deployment, current: number, total: number): number => {
  const wantedSize = wantedReplicas(deployment);
  if (deployment.spec.strategy?.type === 'Recreate') return wantedSize;
  const most = wantedSize + rollingBounds(deployment).maxSurge;
  return total >= most ? current : current + Math.min(most - total, wantedSize - current);
};

/** The next size of the new set; undefined when it stays. */
export const growNew = (
  deployment: Deployment,
  newSet: ReplicaSet,
  old: Sets,
): Scale | undefined => {
  const wantedSize = wantedReplicas(deployment);
  const current = replicasOf(newSet);
  if (current === wantedSize) return undefined;
  const replicas =
    current > wantedSize
      ? wantedSize
      : newSetReplicas(deployment, current, totalReplicas([...old, newSet]));
  return replicas === current ? undefined : { set: newSet, replicas };
};

/** Removes up to `budget` pods, oldest sets first; `most` caps the loss of each set. */
const takeFrom = (
  sizes: Map<ReplicaSet, number>,
  sets: Sets,
  budget: number,
  most: (set: ReplicaSet, size: number) => number,
): number => {
  let remainingBudget = budget;
  for (const set of sets) {
    const size = sizes.get(set) ?? 0;
    const reduction = Math.max(0, Math.min(remainingBudget, most(set, size)));
    sizes.set(set, size - reduction);
    remainingBudget -= reduction;
  }
  return budget - remainingBudget;
};

/**
 * The next sizes of the old sets: unavailable pods go first, then as many others as are not needed for availability.
 */
export const shrinkOld = (
  deployment: Deployment,
  newSet: ReplicaSet,
  old: Sets,
): readonly Scale[] => {
  const sets = old.toSorted(oldestFirst);
  if (totalReplicas(sets) === 0) return [];
  const all = [...sets, newSet];
  const leastAvailable = wantedReplicas(deployment) - rollingBounds(deployment).maxUnavailable;
  const newUnavailable = replicasOf(newSet) - availableOf(newSet);
  const budget = totalReplicas(all) - leastAvailable - newUnavailable;
  if (budget <= 0) return [];
  const sizes = new Map(sets.map((set) => [set, replicasOf(set)]));
  takeFrom(sizes, sets, budget, (set, size) => (size === 0 ? 0 : size - availableOf(set)));
  const available = all.reduce((sum, set) => sum + availableOf(set), 0);
  if (available > leastAvailable) {
    takeFrom(sizes, sets, available - leastAvailable, (_, size) => size);
  }
  return sets.flatMap((set) => {
    const replicas = sizes.get(set) ?? 0;
    return replicas === replicasOf(set) ? [] : [{ set, replicas }];
  });
};
