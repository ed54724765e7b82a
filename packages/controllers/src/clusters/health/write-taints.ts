import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { isConflict } from '@perigee/kube/errors';
import { taintsMessage } from '@perigee/scheduling/clusters/health/condition-taints';
import { sameJson } from '@perigee/schema/same-json';

export interface TaintWrite {
  readonly fieldManager: string;
  /** The message of the Event. */
  readonly messageOf: (cluster: string, taints: string) => string;
}

/** Writes the taints of a cluster if they differ, guarded by the resource version that they were decided on. */
export const writeTaints = async (
  cluster: MemberCluster,
  taints: readonly ClusterTaint[],
  { fieldManager, messageOf }: TaintWrite,
  { client, events, signal }: ReconcileContext,
): Promise<void> => {
  const { spec, metadata } = cluster;
  const { name, resourceVersion } = metadata;
  if (sameJson(taints, spec.taints ?? [])) return;
  const body = {
    metadata: { resourceVersion },
    spec: { taints: taints.length === 0 ? null : taints },
  };
  try {
    const options = { fieldManager, signal };
    await client.patch(MemberCluster, { name }, { type: 'merge', body }, options);
  } catch (error) {
    if (!isConflict(error) && error instanceof Error) {
      events.warning(cluster, 'TaintClusterFailed', error.message);
    }
    throw error;
  }
  events.normal(cluster, 'TaintClusterSucceed', messageOf(name, taintsMessage(taints)));
};
