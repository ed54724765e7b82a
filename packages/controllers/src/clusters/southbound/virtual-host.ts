import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { OpenedCluster } from './southbound.ts';

/** Hosts virtual members: the process of the embedded server. */
export interface VirtualHost {
  /** Starts the member of a record, or updates it; returns its address. */
  ensure(record: ClusterRecord): Promise<OpenedCluster>;
  /** Removes a member with everything in it. Idempotent. */
  remove(name: string): Promise<void>;
}
