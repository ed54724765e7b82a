import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { shardingControllers } from '../../packages/controllers/test/support/sharding-controllers.ts';
import { openFolder, startPerigeeProcess } from '../placement/perigee-process.ts';

const NAMES = ['one', 'two', 'three'];
const CLUSTERS = 10;
const BINDINGS = 120;

const addClusters = async (client: Client): Promise<void> => {
  for (let at = 0; at < CLUSTERS; at += 1) {
    const name = `c${at}`;
    await client.create(MemberCluster, { metadata: { name }, spec: { syncMode: 'Push' } });
    const resources = [{ name: 'deployments', kind: 'Deployment' }];
    const status = {
      apiEnablements: [{ groupVersion: 'apps/v1', resources }],
      resourceSummary: { allocatable: { cpu: '1000', memory: '1000Gi', pods: '10000' } },
    };
    const body = { status };
    await client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource: 'status' });
  }
};

const addWork = (client: Client, at: number) =>
  client.create(ResourceBinding, {
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
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: `w${at}` },
      replicas: 2,
      schedulerName: 'default-scheduler',
      placement: { replicaScheduling: { replicaSchedulingType: 'Divided' } },
    },
  } as never);

const untilActive = async (client: Client): Promise<void> => {
  const active = new Set<string>();
  for await (const { type, object } of client.watch(Scheduler, { sendInitialEvents: true })) {
    if (type === 'BOOKMARK') continue;
    if ((object as Scheduler).status?.phase === 'Active') active.add(object.metadata.name);
    if (active.size === NAMES.length) return;
  }
};

/** Number of placements of each binding, once all have one. */
const countDecisions = async (client: Client, onPlaced: (placed: number) => void) => {
  const seen = new Map<string, string>();
  const decisions = new Map<string, number>();
  const said = new Set<string>();
  for await (const { type, object } of client.watch(ResourceBinding)) {
    if (type === 'BOOKMARK' || type === 'DELETED') continue;
    const { metadata, spec, status } = object as ResourceBinding;
    const { name } = metadata;
    const where = JSON.stringify(spec.clusters ?? []);
    if (where !== (seen.get(name) ?? '[]')) {
      seen.set(name, where);
      decisions.set(name, (decisions.get(name) ?? 0) + 1);
      onPlaced(decisions.size);
    }
    const isStated = status?.conditions?.some(
      (one) => one.type === 'Scheduled' && one.status === 'True',
    );
    if (isStated) said.add(name);
    if (said.size === BINDINGS) break;
  }
  return decisions;
};

test('work is scheduled exactly once although a scheduler is killed in the middle', async () => {
  using folder = openFolder();
  const kubeconfig = join(folder.path, 'kubeconfig');
  const logger = createLogger({ clock, level: 'error' });
  const access = { access: 'rbac', adminKubeconfig: kubeconfig } as const;
  await using server = await startEmbeddedServer({ clock, logger, ...access });
  const { client } = server;
  await addClusters(client);
  await using manager = new Manager({ client, clock, logger, controllers: shardingControllers() });
  await manager.start();
  for (const name of NAMES) await client.create(Scheduler, { metadata: { name }, spec: {} });
  await using stack = new AsyncDisposableStack();
  const processes = await Promise.all(
    NAMES.map(async (name) =>
      stack.use(
        await startPerigeeProcess(
          ['scheduler', '--name', name, '--kubeconfig', kubeconfig],
          'is at work',
        ),
      ),
    ),
  );
  await untilActive(client);
  let killed: Promise<void> | undefined;
  const counted = countDecisions(client, (placed) => {
    if (placed >= BINDINGS / 4) killed ??= processes[0]?.kill();
  });
  await Promise.all(Array.from({ length: BINDINGS }, (_, at) => addWork(client, at)));
  const decisions = await counted;
  await killed;
  assert.equal(decisions.size, BINDINGS);
  assert.deepEqual(
    [...decisions].filter(([, count]) => count !== 1),
    [],
  );
  const { items } = await client.list(ResourceBinding, { namespace: 'default' });
  const users = new Set(items.map(({ spec }) => spec.schedulerName));
  assert.deepEqual(
    [...users].filter((name) => !['two', 'three'].includes(name ?? '')),
    [],
  );
});
