import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Client } from '@perigee/kube/client/client';
import type { SchedulerCase } from './scheduler-protocol.ts';

const REGIONS = 4;

const graded = (hasModels: boolean, at: number): object =>
  hasModels
    ? { allocatableModelings: [2, 3, 4].map((grade) => ({ grade, count: 10 + (at % 10) })) }
    : {};

/** A cluster of twenty to forty nodes, half of it in use. */
export const clusterObject = (at: number, hasModels: boolean) => {
  const cores = 320 + (at % 7) * 64;
  return {
    metadata: { name: `m${at}`, labels: { tier: at % 2 === 0 ? 'gold' : 'silver' } },
    spec: {
      syncMode: 'Push' as const,
      region: `r${at % REGIONS}`,
      provider: 'p',
      ...(hasModels ? {} : { resourceModels: [] }),
    },
    status: {
      apiEnablements: [
        { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
      ],
      resourceSummary: {
        allocatable: { cpu: String(cores), memory: `${cores * 4}Gi`, pods: '4400' },
        allocated: { cpu: String(cores / 2), memory: `${cores * 2}Gi`, pods: '1000' },
        ...graded(hasModels, at),
      },
    },
  };
};

/** A hundred replicas, divided by the room that clusters have. */
export const bindingObject = (at: number) => ({
  metadata: {
    namespace: 'default',
    name: `w${at}-deployment`,
    labels: { 'propagationpolicy.karmada.io/permanent-id': 'p' },
    annotations: {
      'propagationpolicy.karmada.io/namespace': 'default',
      'propagationpolicy.karmada.io/name': 'p',
    },
  },
  spec: {
    resource: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'default',
      name: `w${at}`,
      uid: `uid-${at}`,
    },
    replicas: 100,
    replicaRequirements: { resourceRequest: { cpu: '100m', memory: '256Mi' } },
    schedulerName: 'default-scheduler',
    placement: {
      clusterAffinity: {
        labelSelector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      },
      replicaScheduling: {
        replicaSchedulingType: 'Divided' as const,
        replicaDivisionPreference: 'Weighted' as const,
        weightPreference: { dynamicWeight: 'AvailableReplicas' as const },
      },
    },
  },
});

export const fill = async (client: Client, { clusters, bindings, hasModels }: SchedulerCase) => {
  for (let at = 0; at < clusters; at += 1) {
    const { status, ...cluster } = clusterObject(at, hasModels);
    await client.create(MemberCluster, cluster as never);
    const { name } = cluster.metadata;
    const options = { subresource: 'status' };
    await client.patch(MemberCluster, { name }, { type: 'merge', body: { status } }, options);
  }
  const all = Array.from({ length: bindings }, (_, at) => at);
  while (all.length > 0) {
    const batch = all.splice(0, 200);
    await Promise.all(
      batch.map((at) => client.create(ResourceBinding, bindingObject(at) as never)),
    );
  }
};
