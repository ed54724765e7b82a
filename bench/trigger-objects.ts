import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { WorkloadRebalancer } from '@perigee/api/kinds/placement/workload-rebalancer';
import type { Client } from '@perigee/kube/client/client';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { inBatches } from './in-batches.ts';
import { bindingObject, clusterObject } from './scheduler-objects.ts';
import type { TriggerCase } from './trigger-protocol.ts';

const LONG_AGO = '2026-01-01T00:00:00Z';

/** As many as fit into one object with their results. */
const MOST_WORKLOADS = 5000;

/** A binding that was scheduled when there was only the first half of the clusters. */
const addScheduled = async (client: Client, at: number, clusters: number): Promise<void> => {
  const { metadata, spec } = bindingObject(at);
  const halves = Math.floor(clusters / 2);
  const annotations = {
    ...metadata.annotations,
    'policy.karmada.io/applied-placement': JSON.stringify(spec.placement),
  };
  const binding = await client.create(ResourceBinding, {
    metadata: { ...metadata, annotations },
    spec: {
      ...spec,
      clusters: Array.from({ length: halves }, (_, to) => ({
        name: `m${to}`,
        replicas: Math.floor(spec.replicas / halves) + (to < spec.replicas % halves ? 1 : 0),
      })),
    } as never,
  });
  const condition = { type: 'Scheduled', status: 'True', reason: 'Success', message: '' };
  await patchStatus(client, ResourceBinding, binding, {
    schedulerObservedGeneration: binding.metadata.generation,
    lastScheduledTime: LONG_AGO,
    conditions: [{ ...condition, lastTransitionTime: LONG_AGO }],
  });
};

/** Clusters, and work of one policy that is on half of them. */
export const prepare = async (client: Client, about: TriggerCase): Promise<void> => {
  await client.create(PropagationPolicy, {
    metadata: { namespace: 'default', name: 'p' },
    spec: { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] },
  });
  await inBatches(about.bindings, (at) => addScheduled(client, at, about.clusters));
  await inBatches(about.clusters, async (at) => {
    const { status, ...cluster } = clusterObject(at, false);
    const member = await client.create(MemberCluster, cluster as never);
    await patchStatus(client, MemberCluster, member, status);
  });
};

const CHECK_EVERY_MS = 50;

/** Resolves when a controller acts on rebalancers: one without targets has a result. */
export const untilRebalancing = async (client: Client): Promise<void> => {
  const nothing = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'none' };
  const metadata = { name: 'nothing' };
  await client.create(WorkloadRebalancer, { metadata, spec: { workloads: [nothing] } });
  const isDone = async () =>
    (await client.get(WorkloadRebalancer, metadata)).status?.finishTime !== undefined;
  while (!(await isDone())) await clock.sleep(CHECK_EVERY_MS);
};

/** Names all of the work, in as few objects as possible. */
const rebalanceAll = async (client: Client, { bindings }: TriggerCase): Promise<void> => {
  const workloads = Array.from({ length: bindings }, (_, at) => {
    const { apiVersion, kind, namespace, name } = bindingObject(at).spec.resource;
    return { apiVersion, kind, namespace, name };
  });
  for (let part = 0; workloads.length > 0; part += 1) {
    await client.create(WorkloadRebalancer, {
      metadata: { name: `all-${part}` },
      spec: { workloads: workloads.splice(0, MOST_WORKLOADS) },
    });
  }
};

/** No member tells that new replicas are healthy, so that all of the work stays on the move. */
const triggerPolicy = async (client: Client, { bindings }: TriggerCase): Promise<void> => {
  await client.create(ScheduleTrigger, {
    metadata: { name: 'all' },
    spec: { targetRefPolicy: [{ namespace: 'default', name: 'p' }], maxConcurrent: bindings },
  });
};

export const triggerAll = (client: Client, about: TriggerCase): Promise<void> =>
  about.by === 'policy' ? triggerPolicy(client, about) : rebalanceAll(client, about);
