import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { isConditionTrue } from '@perigee/api/values/conditions';

/** Which clusters a process takes care of: those that it is told, or else all that are pushed to. */
export const serving =
  (clusters: readonly string[] | undefined) =>
  ({ metadata, spec }: MemberCluster): boolean =>
    clusters === undefined ? spec.syncMode === 'Push' : clusters.includes(metadata.name);

export const isReady = ({ status }: MemberCluster): boolean =>
  isConditionTrue(status?.conditions, 'Ready');
