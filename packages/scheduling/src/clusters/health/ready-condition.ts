import type { NewCondition } from '@perigee/api/values/conditions';

/** Result of one probe of a cluster. */
export type Sighting =
  | { readonly kind: 'healthy' }
  | { readonly kind: 'unhealthy' }
  | { readonly kind: 'unreachable' }
  /** No endpoint or credentials to probe with. */
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

/** Duration of consecutive probes with equal results. */
export interface Streak {
  readonly isWell: boolean;
  readonly sinceMs: number;
}

export interface Thresholds {
  /** The time of healthy probes before the cluster becomes ready again. */
  readonly successMs: number;
  /** The time of failed probes before the cluster becomes not ready. */
  readonly failureMs: number;
}

/**
 * Damps the Ready condition: a probe that contradicts the current one counts only after its
 * threshold. A cluster without a condition takes the first result.
 */
export const countedCondition = (
  lastCondition: NewCondition<'MemberCluster', 'Ready'> | undefined,
  observedCondition: NewCondition<'MemberCluster', 'Ready'>,
  streak: Streak | undefined,
  { nowMs, successMs, failureMs }: Thresholds & { readonly nowMs: number },
): { readonly condition: NewCondition<'MemberCluster', 'Ready'>; readonly streak: Streak } => {
  const isWell = observedCondition.status === 'True';
  const next = streak?.isWell === isWell ? streak : { isWell, sinceMs: nowMs };
  const isOpposite = lastCondition !== undefined && (lastCondition.status === 'True') !== isWell;
  const isTooSoon = nowMs < next.sinceMs + (isWell ? successMs : failureMs);
  return { condition: isOpposite && isTooSoon ? lastCondition : observedCondition, streak: next };
};
