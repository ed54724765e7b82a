import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { isConditionTrue } from '@perigee/api/values/conditions';

/** Selects the clusters of a process: the given ones, or else all in push mode. */
export const serving =
  (clusters: readonly string[] | undefined) =>
  ({ metadata, spec }: MemberCluster): boolean =>
    clusters === undefined ? spec.syncMode === 'Push' : clusters.includes(metadata.name);

export const isReady = ({ status }: MemberCluster): boolean =>
  isConditionTrue(status?.conditions, 'Ready');
