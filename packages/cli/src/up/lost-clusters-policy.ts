import {
  ClusterTaintPolicy,
  type ClusterTaintPolicyWritten,
} from '@perigee/api/kinds/clusters/cluster-taint-policy';
import type { Client } from '@perigee/kube/client/client';
import { isConflict } from '@perigee/kube/errors';

const FIELD_MANAGER = 'perigee-up';

/** Drives work out of clusters that have not been ready for a minute; examples/failover.yaml says the same. */
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

/** Switches failover on. What users changed of the policy stays. */
export const ensureFailover = async (client: Client): Promise<void> => {
  const { metadata, spec } = LOST_CLUSTERS;
  const { group, version, kind } = ClusterTaintPolicy;
  const body = { apiVersion: `${group}/${version}`, kind, metadata, spec };
  try {
    const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER } as const;
    await client.patch(ClusterTaintPolicy, { name: 'lost-clusters' }, patch);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
};
