import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { formatMicroTime } from '@perigee/schema/values/time';

export interface ClusterLeaseOptions {
  /** The cluster of the agent. */
  readonly cluster: string;
  readonly leaseSeconds?: number;
}

/** The namespace of agents' leases. */
export const LEASE_NAMESPACE = 'karmada-cluster';

const FIELD_MANAGER = 'perigee-cluster-lease';
/** Renewals per lease duration. */
const RENEWALS = 4;

const renew = async (
  { metadata }: MemberCluster,
  leaseSeconds: number,
  { client, clock, signal }: ReconcileContext,
): Promise<void> => {
  const { name, uid } = metadata;
  const renewTime = formatMicroTime(clock.now());
  const ref = { namespace: LEASE_NAMESPACE, name };
  const options = { fieldManager: FIELD_MANAGER, signal };
  const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
  const renewed = await client
    .patch(Lease, ref, { type: 'merge', body: { spec } }, options)
    .catch(ignoreNotFound);
  if (renewed !== undefined) return;
  const owner = { apiVersion: apiVersionOf(MemberCluster), kind: MemberCluster.kind, name, uid };
  await client.create(Lease, { metadata: { ...ref, ownerReferences: [owner] }, spec }, options);
};

/** Renews the lease of a cluster's agent in the control plane. For agents only. */
export const clusterLeaseController = ({
  cluster: name,
  leaseSeconds = 40,
}: ClusterLeaseOptions): ControllerDefinition =>
  defineController({
    name: 'cluster-lease',
    for: MemberCluster,
    when: (now, before) => now?.metadata.name === name && before === undefined,
    async reconcile(ref, context) {
      const cluster = context.cache(MemberCluster).get(ref);
      if (cluster === undefined || ref.name !== name) return undefined;
      await renew(cluster, leaseSeconds, context);
      return { requeueAfterMs: (leaseSeconds * 1000) / RENEWALS };
    },
  });
