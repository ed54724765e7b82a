import {
  ClusterTaintPolicy,
  type ClusterTaintPolicyWritten,
} from '@perigee/api/kinds/clusters/cluster-taint-policy';
import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';

const FIELD_MANAGER = 'perigee-up';

/**
 * Evicts work from clusters that have not been ready for a minute; examples/failover.yaml has the same
 * policy.
 */
export const LOST_CLUSTERS: ClusterTaintPolicyWritten = {
  metadata: { name: 'lost-clusters' },
  spec: {
    addOnConditions: [
      {
        conditionType: 'Ready',
        operator: 'In',
        statusValues: ['False', 'Unknown'],
        forSeconds: 60,
      },
    ],
    removeOnConditions: [{ conditionType: 'Ready', operator: 'In', statusValues: ['True'] }],
    taints: [{ key: 'cluster.karmada.io/not-ready', effect: 'NoExecute' }],
  },
};

/** Creates the failover policy unless it exists; an edited one is left as it is. */
export const ensureFailover = async (client: Client): Promise<void> => {
  await ensure(client, ClusterTaintPolicy, LOST_CLUSTERS, { fieldManager: FIELD_MANAGER });
};
