import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import type { ConditionStatus } from '@perigee/api/meta/condition';
import { formatTime } from '@perigee/schema/values/time';

const NOT_READY = 'cluster.karmada.io/not-ready';
const UNREACHABLE = 'cluster.karmada.io/unreachable';

/** No Ready condition yet counts as not ready: the cluster takes no work. */
const wantedKey = (ready: ConditionStatus | undefined): string | undefined => {
  if (ready === 'True') return undefined;
  return ready === 'Unknown' ? UNREACHABLE : NOT_READY;
};

const isOurs = ({ key, effect }: ClusterTaint): boolean =>
  effect === 'NoSchedule' && (key === NOT_READY || key === UNREACHABLE);

/**
 * Taints a cluster by its Ready condition: unless it is ready, one NoSchedule taint keeps new work
 * away. NoExecute taints without `timeAdded` get one, from which tolerations count. Returns the
 * same list if nothing changes.
 */
export const conditionTaints = (
  taints: readonly ClusterTaint[],
  ready: ConditionStatus | undefined,
  nowMs: number,
): readonly ClusterTaint[] => {
  const desiredKey = wantedKey(ready);
  const timeAdded = formatTime(nowMs);
  const isStale = (taint: ClusterTaint): boolean =>
    isOurs(taint) && taint.key !== desiredKey && ready !== undefined;
  const isUntimed = ({ effect, timeAdded }: ClusterTaint): boolean =>
    effect === 'NoExecute' && timeAdded === undefined;
  const isMissing =
    desiredKey !== undefined && !taints.some((taint) => isOurs(taint) && taint.key === desiredKey);
  if (!isMissing && !taints.some((taint) => isStale(taint) || isUntimed(taint))) return taints;
  return [
    ...taints
      .filter((taint) => !isStale(taint))
      .map((taint) => (isUntimed(taint) ? { ...taint, timeAdded } : taint)),
    ...(isMissing ? [{ key: desiredKey, effect: 'NoSchedule', timeAdded } as const] : []),
  ];
};

/** Formats taints as the message of an Event. */
export const taintsMessage = (taints: readonly ClusterTaint[]): string => {
  if (taints.length === 0) return 'cluster now does not have taints';
  const texts = taints.map(({ key, value = '', effect }) =>
    value === '' ? `{Key:${key},Effect:${effect}}` : `{Key:${key},Value:${value},Effect:${effect}}`,
  );
  return `cluster now has taints([${texts.join(',')}])`;
};
