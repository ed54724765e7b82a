import type { Deployment } from '@perigee/kubernetes/apps/deployment';
import type { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { DESIRED_REPLICAS, MAX_REPLICAS } from './annotations.ts';
import { oldestFirst, replicasOf, type Scale, totalReplicas } from './roll.ts';
import { isRolling, rollingBounds, wantedReplicas } from './rolling-bounds.ts';

type Sets = readonly ReplicaSet[];

const numberIn = ({ metadata }: ReplicaSet, annotation: string): number | undefined => {
  const annotationText = metadata.annotations?.[annotation];
  return annotationText !== undefined && /^\d+$/.test(annotationText)
    ? Number(annotationText)
    : undefined;
};

const isActive = (set: ReplicaSet): boolean => replicasOf(set) > 0;

/** True when the deployment was resized since its sets were last scaled. */
export const isScalingEvent = (deployment: Deployment, sets: Sets): boolean =>
  sets.filter(isActive).some((set) => {
    const desired = numberIn(set, DESIRED_REPLICAS);
    return desired !== undefined && desired !== wantedReplicas(deployment);
  });

/** The only set with pods, or the latest when none has any; undefined for several. */
const onlyActive = (newSet: ReplicaSet | undefined, old: Sets): ReplicaSet | undefined => {
  const newest = old.toSorted((a, b) => oldestFirst(b, a));
  const active = [...newest, ...(newSet === undefined ? [] : [newSet])].filter(isActive);
  if (active.length > 1) return undefined;
  return active[0] ?? newSet ?? newest[0];
};

const isSaturated = (deployment: Deployment, newSet: ReplicaSet | undefined): boolean => {
  const wantedSize = wantedReplicas(deployment);
  return (
    newSet !== undefined &&
    replicasOf(newSet) === wantedSize &&
    numberIn(newSet, DESIRED_REPLICAS) === wantedSize &&
    (newSet.status?.availableReplicas ?? 0) === wantedSize
  );
};

const shareOf = (
  deployment: Deployment,
  set: ReplicaSet,
  allowedTotal: number,
  toAdd: number,
): number => {
  const size = replicasOf(set);
  if (toAdd === 0) return 0;
  if (wantedReplicas(deployment) === 0) return -size;
  const before = numberIn(set, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * allowedTotal) / before) - size;
};

const proportional = (deployment: Deployment, sets: Sets): readonly Scale[] => {
  const desiredReplicas = wantedReplicas(deployment);
  const full = desiredReplicas + rollingBounds(deployment).maxSurge;
  const toAdd = (desiredReplicas > 0 ? full : 0) - totalReplicas(sets);
  const bySize = sets.toSorted(
    (a, b) => replicasOf(b) - replicasOf(a) || oldestFirst(a, b) * (toAdd > 0 ? -1 : 1),
  );
  let addition = 0;
  const scales = bySize.map((set) => {
    const remainder = toAdd - addition;
    const share = shareOf(deployment, set, full, toAdd);
    const part = toAdd > 0 ? Math.min(share, remainder) : Math.max(share, remainder);
    const change = toAdd > 0 ? Math.max(0, part) : Math.min(0, part);
    addition += change;
    return { set, replicas: replicasOf(set) + change };
  });
  // The largest set takes the rounding error.
  return scales.map(({ set, replicas }, place) => ({
    set,
    replicas: place === 0 ? Math.max(0, replicas + toAdd - addition) : replicas,
  }));
};

/** Sizes of the sets of a deployment that was scaled or is paused; no set replaces another. */
export const scaleInProportion = (
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  old: Sets,
): readonly Scale[] => {
  const only = onlyActive(newSet, old);
  if (only !== undefined) {
    const replicas = wantedReplicas(deployment);
    return replicasOf(only) === replicas ? [] : [{ set: only, replicas }];
  }
  if (isSaturated(deployment, newSet)) {
    return old.filter(isActive).map((set) => ({ set, replicas: 0 }));
  }
  if (!isRolling(deployment)) return [];
  return proportional(deployment, [...old, ...(newSet ? [newSet] : [])].filter(isActive));
};
