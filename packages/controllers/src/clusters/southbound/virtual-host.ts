import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { OpenedCluster } from './southbound.ts';

/** Whoever hosts virtual members: the process of the embedded server. */
export interface VirtualHost {
  /** Makes the member that the record describes, or makes it agree; tells where it is served. */
  ensure(record: ClusterRecord): Promise<OpenedCluster>;
  /** Removes a member with all that is in it. It does not matter whether there is one. */
  remove(name: string): Promise<void>;
}
