import type { NewCondition } from '@perigee/api/values/conditions';

/** What a look at a cluster finds. */
export type Sighting =
  | { readonly kind: 'healthy' }
  | { readonly kind: 'unhealthy' }
  | { readonly kind: 'unreachable' }
  /** There is nothing to reach it with. */
  | { readonly kind: 'no-way'; readonly why: string };

const READY = 'Ready';

export const sightedCondition = (sighting: Sighting): NewCondition<'MemberCluster', 'Ready'> => {
  switch (sighting.kind) {
    case 'healthy':
      return {
        type: READY,
        status: 'True',
        reason: 'ClusterReady',
        message: 'cluster is healthy and ready to accept workloads',
      };
    case 'unhealthy':
      return {
        type: READY,
        status: 'False',
        reason: 'ClusterNotReady',
        message: 'cluster is reachable but health endpoint responded without ok',
      };
    case 'unreachable':
      return {
        type: READY,
        status: 'False',
        reason: 'ClusterNotReachable',
        message: 'cluster is not reachable',
      };
    case 'no-way':
      return {
        type: READY,
        status: 'False',
        reason: 'StatusCollectionFailed',
        message: `failed to create a ClusterClient: ${sighting.why}`,
      };
  }
};

/** How long a cluster has looked the same: well, or not. */
export interface Streak {
  readonly isWell: boolean;
  readonly sinceMs: number;
}

export interface Thresholds {
  /** How long a cluster must look well before it counts as ready again. */
  readonly successMs: number;
  /** How long it must look bad before it counts as not ready. */
  readonly failureMs: number;
}

/**
 * What counts after a look at a cluster: what was seen, unless the cluster counted as the opposite and has
 * not looked like this for long enough. One that never counted as anything counts as what it looks like.
 */
export const countedCondition = (
  counted: NewCondition<'MemberCluster', 'Ready'> | undefined,
  seen: NewCondition<'MemberCluster', 'Ready'>,
  streak: Streak | undefined,
  { nowMs, successMs, failureMs }: Thresholds & { readonly nowMs: number },
): { readonly condition: NewCondition<'MemberCluster', 'Ready'>; readonly streak: Streak } => {
  const isWell = seen.status === 'True';
  const next = streak?.isWell === isWell ? streak : { isWell, sinceMs: nowMs };
  const isOpposite = counted !== undefined && (counted.status === 'True') !== isWell;
  const isTooSoon = nowMs < next.sinceMs + (isWell ? successMs : failureMs);
  return { condition: isOpposite && isTooSoon ? counted : seen, streak: next };
};
