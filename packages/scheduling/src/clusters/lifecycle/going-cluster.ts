import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ABANDON } from '../inventory/execution-target.ts';

export const isGoing = (cluster: MemberCluster | undefined): boolean =>
  cluster?.metadata.deletionTimestamp !== undefined;

/** Whether nobody waits for what runs there, because somebody said so. */
export const isAbandoned = (cluster: MemberCluster | undefined): boolean =>
  cluster?.metadata.annotations?.[ABANDON] !== undefined;

/** Whether a cluster goes as soon as work has left it. */
export const drains = (cluster: MemberCluster | undefined): boolean =>
  isGoing(cluster) && !isAbandoned(cluster);
