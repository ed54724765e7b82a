import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceHealth } from '@perigee/api/kinds/placement/resource-health';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { Event } from '@perigee/kubernetes/core/event';
import { APPLIED_PLACEMENT } from '@perigee/scheduling/placement/binding/binding';

/** A cluster that is ready and has room. */
export const addReadyCluster = async (client: Client, name: string): Promise<void> => {
  await client.create(MemberCluster, { metadata: { name }, spec: { syncMode: 'Push' } });
  const body = {
    status: {
      apiEnablements: [
        { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
        { groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] },
        { groupVersion: 'batch.volcano.sh/v1alpha1', resources: [{ name: 'jobs', kind: 'Job' }] },
      ],
      resourceSummary: { allocatable: { cpu: '100', memory: '100Gi', pods: '110' } },
    },
  };
  await client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource: 'status' });
  await setReady(client, name, 'True');
};

export const setReady = async (client: Client, name: string, status: string): Promise<void> => {
  const condition = {
    type: 'Ready',
    status,
    reason: 'Test',
    message: 'as the test says',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const body = { status: { conditions: [condition] } };
  await client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource: 'status' });
};

export const setTaints = async (
  client: Client,
  name: string,
  taints: readonly object[],
): Promise<void> => {
  const body = { spec: { taints } };
  await client.patch(MemberCluster, { name }, { type: 'merge', body });
};

export const KINDS = { ResourceBinding, ClusterResourceBinding };
export type Scope = keyof typeof KINDS;

export const bindingRef = (scope: Scope, name: string): ObjectRef =>
  scope === 'ResourceBinding' ? { namespace: 'default', name } : { name };

export interface NewBinding {
  readonly placement?: object;
  readonly spec?: object;
  readonly annotations?: { readonly [name: string]: string };
}

/** A binding that the scheduler has handled, on m1 with two replicas by default. */
export const addBinding = async (
  client: Client,
  scope: Scope,
  name: string,
  { placement = {}, spec = {}, annotations }: NewBinding = {},
): Promise<void> => {
  await client.create(KINDS[scope], {
    metadata: {
      ...bindingRef(scope, name),
      labels: { 'clusterpropagationpolicy.karmada.io/permanent-id': 'p' },
      annotations: {
        'clusterpropagationpolicy.karmada.io/name': 'p',
        ...(annotations ?? { [APPLIED_PLACEMENT]: JSON.stringify(placement) }),
      },
    },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name },
      replicas: 2,
      clusters: [{ name: 'm1', replicas: 2 }],
      placement,
      ...spec,
    } as never,
  });
};

/** Takes the marks of its policy from a binding, as when that policy is deleted. */
export const releaseBinding = async (client: Client, scope: Scope, name: string): Promise<void> => {
  const metadata = {
    labels: { 'clusterpropagationpolicy.karmada.io/permanent-id': null },
    annotations: { 'clusterpropagationpolicy.karmada.io/name': null },
  };
  await client.patch(KINDS[scope], bindingRef(scope, name), { type: 'merge', body: { metadata } });
};

export const setHealth = async (
  client: Client,
  scope: Scope,
  name: string,
  health: { readonly [cluster: string]: ResourceHealth },
  status?: object,
): Promise<void> => {
  const aggregatedStatus = Object.entries(health).map(([clusterName, one]) => ({
    clusterName,
    health: one,
    ...(status === undefined ? {} : { status }),
  }));
  await client.patch(
    KINDS[scope],
    bindingRef(scope, name),
    { type: 'merge', body: { status: { aggregatedStatus } } },
    { subresource: 'status' },
  );
};

/** The scheduler has seen the present state. */
export const setScheduled = async (client: Client, scope: Scope, name: string): Promise<void> => {
  const { metadata } = await client.get(KINDS[scope], bindingRef(scope, name));
  await client.patch(
    KINDS[scope],
    bindingRef(scope, name),
    { type: 'merge', body: { status: { schedulerObservedGeneration: metadata.generation } } },
    { subresource: 'status' },
  );
};

/** The clusters of the work, and those that it leaves: `m2:2 | m1`. */
export const whereabouts = async (client: Client, scope: Scope, name: string): Promise<string> => {
  const { spec } = await client.get(KINDS[scope], bindingRef(scope, name));
  const on = (spec.clusters ?? []).map(({ name: cluster, replicas }) => `${cluster}:${replicas}`);
  const from = (spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster);
  return `${on.join(' ')} | ${from.join(' ')}`.trim();
};

export const tasksOf = async (client: Client, scope: Scope, name: string) => {
  const { spec } = await client.get(KINDS[scope], bindingRef(scope, name));
  return spec.gracefulEvictionTasks ?? [];
};

export const eventsOf = async (client: Client, reason: string): Promise<readonly string[]> => {
  const { items } = await client.list(Event, {});
  return items
    .filter((event) => event.reason === reason)
    .map(({ involvedObject, message }) => `${involvedObject.kind}: ${message}`)
    .sort();
};
