import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ABANDON } from '../inventory/execution-target.ts';

export const isGoing = (cluster: MemberCluster | undefined): boolean =>
  cluster?.metadata.deletionTimestamp !== undefined;

/** Whether nobody waits for what runs there, because somebody said so. */
export const isAbandoned = (cluster: MemberCluster | undefined): boolean =>
  cluster?.metadata.annotations?.[ABANDON] !== undefined;

/** Whether a cluster goes at once, with whatever runs there. */
export const isLeftBehind = (cluster: MemberCluster | undefined): boolean =>
  isGoing(cluster) && isAbandoned(cluster);

/** Whether nothing can be done any more about what runs there. */
export const isLost = (cluster: MemberCluster | undefined): boolean =>
  cluster === undefined || isLeftBehind(cluster);

/** Whether a cluster goes as soon as work has left it. */
export const drains = (cluster: MemberCluster | undefined): boolean =>
  isGoing(cluster) && !isAbandoned(cluster);
