import type { StatefulSet, StatefulSetStatus } from '@perigee/kubernetes/apps/stateful-set';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { availableAt, isFinished, isPodReady, isTerminating } from '../pods/pod-state.ts';
import { ordinalOf, revisionOf } from './stateful-pod.ts';

export interface StatefulDecision {
  /** Ordinals without a pod that may be created now. */
  readonly create: readonly number[];
  readonly remove: readonly Pod[];
}

/** Most pods to create at a time; there may be two billion to come. */
const BURST = 500;

const NOTHING: StatefulDecision = { create: [], remove: [] };

export const partitionOf = ({ spec }: StatefulSet): number =>
  spec.updateStrategy?.rollingUpdate?.partition ?? 0;

export const firstOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;

const isHealthy = (set: StatefulSet, pod: Pod | undefined, now: number): boolean => {
  if (pod === undefined || isTerminating(pod) || pod.status?.phase !== 'Running') return false;
  const moment = availableAt(pod, set.spec.minReadySeconds ?? 0);
  return moment !== undefined && moment <= now;
};

/** OrderedReady creates one after another, each when those before it are ready; Parallel all at once. */
const fill = (set: StatefulSet, byOrdinal: ReadonlyMap<number, Pod>, now: number) => {
  const { replicas = 1, podManagementPolicy } = set.spec;
  const isOrdered = podManagementPolicy !== 'Parallel';
  const start = firstOrdinal(set);
  const create: number[] = [];
  const remove: Pod[] = [];
  for (let ordinal = start; ordinal < start + replicas; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) create.push(ordinal);
    else if (isFinished(pod) && !isTerminating(pod)) remove.push(pod);
    const isFull = create.length >= BURST;
    if (isFull || (isOrdered && !isHealthy(set, pod, now))) {
      return { create, remove, isWaiting: true };
    }
  }
  return { create, remove, isWaiting: false };
};

const shrink = (set: StatefulSet, surplus: readonly Pod[]): readonly Pod[] => {
  const highestFirst = surplus.toSorted((a, b) => ordinalOf(b) - ordinalOf(a));
  if (set.spec.podManagementPolicy === 'Parallel') {
    return highestFirst.filter((pod) => !isTerminating(pod));
  }
  const [next] = highestFirst;
  return next === undefined || isTerminating(next) ? [] : [next];
};

const update = (
  set: StatefulSet,
  byOrdinal: ReadonlyMap<number, Pod>,
  revision: string,
  now: number,
): readonly Pod[] => {
  if (set.spec.updateStrategy?.type === 'OnDelete') return [];
  const lowest = firstOrdinal(set) + partitionOf(set);
  // Pods above one that is not ready do not exist yet.
  const highestFirst = [...byOrdinal].sort(([a], [b]) => b - a);
  for (const [ordinal, pod] of highestFirst) {
    if (ordinal < lowest || isTerminating(pod)) return [];
    if (revisionOf(pod) !== revision) return [pod];
    if (!isHealthy(set, pod, now)) return [];
  }
  return [];
};

/** The next pods to create and delete, in the order that the set prescribes. */
export const decideStatefulSet = (
  set: StatefulSet,
  pods: readonly Pod[],
  revision: string,
  now: number,
): StatefulDecision => {
  if (set.metadata.deletionTimestamp !== undefined) return NOTHING;
  const { replicas = 1 } = set.spec;
  const start = firstOrdinal(set);
  const isWanted = (pod: Pod) => ordinalOf(pod) >= start && ordinalOf(pod) < start + replicas;
  const byOrdinal = new Map(pods.filter(isWanted).map((pod) => [ordinalOf(pod), pod]));
  const { create, remove, isWaiting } = fill(set, byOrdinal, now);
  if (isWaiting) {
    // An outdated pod that never becomes ready must not block the update.
    const blocked =
      create.length + remove.length === 0 ? update(set, byOrdinal, revision, now) : [];
    return { create, remove: [...remove, ...blocked] };
  }
  const surplus = shrink(
    set,
    pods.filter((pod) => !isWanted(pod)),
  );
  if (surplus.length > 0 || create.length > 0 || remove.length > 0) {
    return { create, remove: [...remove, ...surplus] };
  }
  const hasSurplus = pods.some((pod) => !isWanted(pod));
  return hasSurplus ? NOTHING : { create: [], remove: update(set, byOrdinal, revision, now) };
};

export const statefulSetStatus = (
  set: StatefulSet,
  pods: readonly Pod[],
  revision: string,
  now: number,
): StatefulSetStatus => {
  const { spec, status, metadata } = set;
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isPodReady(pod));
  const available = ready.filter(
    (pod) => (availableAt(pod, spec.minReadySeconds ?? 0) ?? now) <= now,
  );
  const standing = pods.filter((pod) => !isTerminating(pod));
  const at = (revision: string) => standing.filter((pod) => revisionOf(pod) === revision).length;
  const before = status?.currentRevision ?? revision;
  const { replicas = 1 } = spec;
  const isRolledOut =
    partitionOf(set) === 0 && at(revision) === replicas && ready.length === replicas;
  const currentRevision = isRolledOut ? revision : before;
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: available.length,
    currentReplicas: at(currentRevision),
    updatedReplicas: at(revision),
    currentRevision,
    updateRevision: revision,
    collisionCount: status?.collisionCount ?? 0,
  };
};
