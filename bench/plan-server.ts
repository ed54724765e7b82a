import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterTaintPolicy } from '@perigee/api/kinds/clusters/cluster-taint-policy';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { clusterTaintPolicyController } from '@perigee/controllers/clusters/health/cluster-taint-policy-controller';
import { taintEvictionController } from '@perigee/controllers/placement/failover/taint-eviction/taint-eviction-controller';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import type { Client } from '@perigee/kube/client/client';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { EvictionPacer } from '@perigee/scheduling/placement/failover/eviction-pacer';
import { inBatches } from './in-batches.ts';
import type { PlanAnswer, PlanOrder } from './plan-protocol.ts';
import { bindingObject, clusterObject } from './scheduler-objects.ts';

const CLUSTERS = 1000;
const WORKLOADS = 10_000;
const CLUSTERS_EACH = 3;
const LONG_AGO = '2026-01-01T00:00:00Z';
const LOST = 'm2';

/** As much as a cluster of today serves. */
const APIS = Array.from({ length: 30 }, (_, group) => ({
  groupVersion: group === 0 ? 'apps/v1' : `group${group}.example.com/v1`,
  resources: Array.from({ length: 3 }, (_, kind) => ({
    name: group === 0 && kind === 0 ? 'deployments' : `things${kind}`,
    kind: group === 0 && kind === 0 ? 'Deployment' : `Thing${kind}`,
  })),
}));

const condition = (type: string, reason: string, status = 'True') => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: LONG_AGO,
});

const addCluster = async (client: Client, at: number): Promise<void> => {
  const { status, ...cluster } = clusterObject(at, false);
  const member = await client.create(MemberCluster, cluster as never);
  const conditions = [condition('Ready', 'ClusterReady')];
  await patchStatus(client, MemberCluster, member, {
    ...status,
    apiEnablements: APIS,
    conditions,
  } as never);
};

const deployment = (name: string) => ({
  metadata: { namespace: 'default', name },
  spec: {
    replicas: 100,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'app:1',
            resources: { requests: { cpu: '100m', memory: '256Mi' } },
          },
        ],
      },
    },
  },
});

/** Work that is placed in a few clusters, as its policy wants. */
const addPlaced = async (client: Client, at: number): Promise<void> => {
  const { metadata, spec } = bindingObject(at);
  const names = Array.from(
    { length: CLUSTERS_EACH },
    (_, to) => `m${(at * 7 + to * 31) % CLUSTERS}`,
  );
  const shares = names.map((name, to) => ({ name, replicas: to === 0 ? 34 : 33 }));
  const annotations = {
    ...metadata.annotations,
    'policy.karmada.io/applied-placement': JSON.stringify(spec.placement),
  };
  const binding = await client.create(ResourceBinding, {
    metadata: { ...metadata, annotations },
    spec: { ...spec, clusters: shares } as never,
  });
  await patchStatus(client, ResourceBinding, binding, {
    schedulerObservedGeneration: binding.metadata.generation,
    lastScheduledTime: LONG_AGO,
    conditions: [condition('Scheduled', 'Success')],
    aggregatedStatus: shares.map(({ name, replicas }) => ({
      clusterName: name,
      applied: true,
      health: 'Healthy',
      status: { replicas, readyReplicas: replicas },
    })),
  } as never);
};

/** Work whose policy names a cluster that does not exist. */
const addStuck = async (client: Client): Promise<void> => {
  const { metadata, spec } = bindingObject(WORKLOADS);
  const placement = { ...spec.placement, clusterAffinity: { clusterNames: ['m10000'] } };
  const policy = await client.create(PropagationPolicy, {
    metadata: { namespace: 'default', name: 'stuck' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'stuck' }],
      placement,
    },
  } as never);
  const key = 'propagationpolicy.karmada.io/permanent-id';
  const labels = { [key]: policy.metadata.labels?.[key] ?? '' };
  await client.create(Deployment, deployment('stuck') as never);
  const binding = await client.create(ResourceBinding, {
    metadata: {
      ...metadata,
      name: 'stuck-deployment',
      labels,
      annotations: { ...metadata.annotations, 'propagationpolicy.karmada.io/name': 'stuck' },
    },
    spec: { ...spec, resource: { ...spec.resource, name: 'stuck' }, placement } as never,
  });
  await patchStatus(client, ResourceBinding, binding, {
    schedulerObservedGeneration: binding.metadata.generation,
    conditions: [condition('Scheduled', 'NoClusterFit', 'False')],
  } as never);
};

const fill = async (client: Client): Promise<void> => {
  await client.create(ClusterTaintPolicy, {
    metadata: { name: 'lost' },
    spec: {
      addOnConditions: [
        { conditionType: 'Ready', operator: 'NotIn', statusValues: ['True'], forSeconds: 60 },
      ],
      taints: [{ key: 'example.com/lost', effect: 'NoExecute' }],
    },
  });
  await inBatches(CLUSTERS, (at) => addCluster(client, at));
  await inBatches(WORKLOADS, (at) => addPlaced(client, at));
  await client.create(Deployment, deployment('w0') as never);
  await addStuck(client);
};

/** Loses a cluster that has not been ready for long enough, and waits until nothing is placed there. */
const lose = async (client: Client, name: string): Promise<number> => {
  const logger = createLogger({ clock, level: 'error' });
  const pacer = new EvictionPacer();
  const controllers = [
    clusterTaintPolicyController(),
    ...BINDING_KINDS.map((kind) => schedulerController(kind)),
    ...BINDING_KINDS.map((kind) => taintEvictionController(kind, { pacer })),
  ];
  await using manager = new Manager({ client, clock, logger, controllers });
  await manager.start();
  const before = performance.now();
  const body = { status: { conditions: [condition('Ready', 'ClusterNotReachable', 'False')] } };
  await client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource: 'status' });
  const isThere = ({ spec }: ResourceBinding): boolean =>
    (spec.clusters ?? []).length === 0 || (spec.clusters ?? []).some((one) => one.name === name);
  for (;;) {
    const { items } = await client.list(ResourceBinding, {});
    if (!items.some((one) => isThere(one) && one.metadata.name !== 'stuck-deployment')) break;
    await clock.sleep(500);
  }
  return performance.now() - before;
};

const folder = mkdtempSync(join(tmpdir(), 'perigee-bench-'));
const adminKubeconfig = join(folder, 'kubeconfig');
const { client } = await startEmbeddedServer({ clock, access: 'rbac', adminKubeconfig });
process.once('SIGTERM', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
const answer = (said: PlanAnswer): void => void process.send?.(said);
process.on('message', async ({ lose: name }: PlanOrder) => {
  answer({ kind: 'moved', ms: await lose(client, name) });
});
await fill(client);
answer({ kind: 'ready', kubeconfig: adminKubeconfig, lost: LOST });
