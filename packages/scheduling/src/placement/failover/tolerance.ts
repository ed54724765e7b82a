import type { ClusterTaint, ClusterToleration } from '@perigee/api/kinds/clusters/cluster-taints';
import { parseTime } from '@perigee/schema/values/time';
import { tolerates } from '../../clusters/tolerations.ts';

/** Result of taints for work on the cluster: evict now, evict later, or keep. */
export type Tolerance =
  | { readonly kind: 'none'; readonly taint: ClusterTaint }
  | { readonly kind: 'for-now'; readonly forMs: number }
  | { readonly kind: 'for-ever' };

const FOR_EVER: Tolerance = { kind: 'for-ever' };

export const drivesOut = ({ effect }: ClusterTaint): boolean => effect === 'NoExecute';

/**
 * Matches the NoExecute taints of a cluster with tolerations. The first matching toleration of each
 * taint applies; it limits every taint that it matches, and the shortest limit wins. A taint
 * without `timeAdded` counts from now.
 */
export const toleranceOf = (
  taints: readonly ClusterTaint[],
  tolerations: readonly ClusterToleration[],
  nowMs: number,
): Tolerance => {
  const drivers = taints.filter(drivesOut);
  const tolerationsInUse = new Set<ClusterToleration>();
  for (const taint of drivers) {
    const toleration = tolerations.find((one) => tolerates(one, taint));
    if (toleration === undefined) return { kind: 'none', taint };
    tolerationsInUse.add(toleration);
  }
  let first: { readonly endsAt: number; readonly taint: ClusterTaint } | undefined;
  for (const toleration of tolerationsInUse) {
    const { tolerationSeconds } = toleration;
    if (tolerationSeconds === undefined) continue;
    for (const taint of drivers.filter((one) => tolerates(toleration, one))) {
      const addedAt = taint.timeAdded === undefined ? nowMs : parseTime(taint.timeAdded);
      const endsAt = addedAt + Number(tolerationSeconds) * 1000;
      if (first === undefined || endsAt < first.endsAt) first = { endsAt, taint };
    }
  }
  if (first === undefined) return FOR_EVER;
  const forMs = first.endsAt - nowMs;
  return forMs <= 0 ? { kind: 'none', taint: first.taint } : { kind: 'for-now', forMs };
};
