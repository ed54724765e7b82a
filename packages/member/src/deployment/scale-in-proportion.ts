import type { Deployment } from '@perigee/kubernetes/apps/deployment';
import type { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { DESIRED_REPLICAS, MAX_REPLICAS } from './annotations.ts';
import { oldestFirst, replicasOf, type Scale, totalReplicas } from './roll.ts';
import { isRolling, rollingBounds, wantedReplicas } from './rolling-bounds.ts';

type Sets = readonly ReplicaSet[];

const numberIn = ({ metadata }: ReplicaSet, annotation: string): number | undefined => {
  const written = metadata.annotations?.[annotation];
  return written !== undefined && /^\d+$/.test(written) ? Number(written) : undefined;
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
  const wanted = wantedReplicas(deployment);
  return (
    newSet !== undefined &&
    replicasOf(newSet) === wanted &&
    numberIn(newSet, DESIRED_REPLICAS) === wanted &&
    (newSet.status?.availableReplicas ?? 0) === wanted
  );
};

const shareOf = (
  deployment: Deployment,
  set: ReplicaSet,
  allowed: number,
  toAdd: number,
): number => {
  const size = replicasOf(set);
  if (toAdd === 0) return 0;
  if (wantedReplicas(deployment) === 0) return -size;
  const before = numberIn(set, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * allowed) / before) - size;
};

const proportional = (deployment: Deployment, sets: Sets): readonly Scale[] => {
  const wanted = wantedReplicas(deployment);
  const full = wanted + rollingBounds(deployment).maxSurge;
  const toAdd = (wanted > 0 ? full : 0) - totalReplicas(sets);
  const bySize = sets.toSorted(
    (a, b) => replicasOf(b) - replicasOf(a) || oldestFirst(a, b) * (toAdd > 0 ? -1 : 1),
  );
  let added = 0;
  const scales = bySize.map((set) => {
    const left = toAdd - added;
    const share = shareOf(deployment, set, full, toAdd);
    const part = toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
    const change = toAdd > 0 ? Math.max(0, part) : Math.min(0, part);
    added += change;
    return { set, replicas: replicasOf(set) + change };
  });
  // The largest set takes the rounding error.
  return scales.map(({ set, replicas }, place) => ({
    set,
    replicas: place === 0 ? Math.max(0, replicas + toAdd - added) : replicas,
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
