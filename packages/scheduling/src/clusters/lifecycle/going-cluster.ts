import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ABANDON } from '../inventory/execution-target.ts';

export const isGoing = (cluster: MemberCluster | undefined): boolean =>
  cluster?.metadata.deletionTimestamp !== undefined;

/** True if an administrator declared the cluster lost. */
export const isAbandoned = (cluster: MemberCluster | undefined): boolean =>
  cluster?.metadata.annotations?.[ABANDON] !== undefined;

/** True if the cluster is removed without a drain. */
export const isLeftBehind = (cluster: MemberCluster | undefined): boolean =>
  isGoing(cluster) && isAbandoned(cluster);

/** True if the work there is out of reach for good. */
export const isLost = (cluster: MemberCluster | undefined): boolean =>
  cluster === undefined || isLeftBehind(cluster);

/** True if the cluster is removed once it is drained. */
export const drains = (cluster: MemberCluster | undefined): boolean =>
  isGoing(cluster) && !isAbandoned(cluster);
