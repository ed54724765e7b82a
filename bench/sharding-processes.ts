import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { schedulerLifecycleController } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-lifecycle-controller';
import { clusterAssignmentController } from '@perigee/controllers/clusters/sharding/cluster-assignment-controller';
import { distributorController } from '@perigee/controllers/placement/distributor/distributor-controller';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { Child } from './child.ts';
import { type Figure, figureOf } from './figure.ts';
import { bindingObject, clusterObject } from './scheduler-objects.ts';

const NAMES = ['one', 'two', 'three'];
const CLUSTERS = 200;
const BINDINGS = 5_000;
/** With the 15 s in it that the lease of the killed one takes to run out. */
const FLOOR_PER_SECOND = 50;

const addClusters = async (client: Client): Promise<void> => {
  for (let at = 0; at < CLUSTERS; at += 1) {
    const { status, ...cluster } = clusterObject(at, false);
    const { name } = cluster.metadata;
    await client.create(MemberCluster, cluster as never);
    const body = { status };
    await client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource: 'status' });
    const geoLocation = { country: 'US', city: `city${at % 20}` };
    await client.create(ClusterRecord, {
      metadata: { name },
      spec: { type: 'virtual', geoLocation, cpuCapacity: 300 + (at % 7) * 60 },
    });
  }
};

/** Number of placements of each binding, until each has one and none changes for a while. */
const countDecisions = async (client: Client, onCount: (placed: number) => void) => {
  const placements = new Map<string, string>();
  const decisions = new Map<string, number>();
  for await (const { type, object } of client.watch(ResourceBinding)) {
    if (type === 'BOOKMARK' || type === 'DELETED') continue;
    const { metadata, spec } = object as ResourceBinding;
    const where = JSON.stringify(spec.clusters ?? []);
    if (where === (placements.get(metadata.name) ?? '[]')) continue;
    placements.set(metadata.name, where);
    decisions.set(metadata.name, (decisions.get(metadata.name) ?? 0) + 1);
    onCount(decisions.size);
    if (decisions.size === BINDINGS) break;
  }
  return [...decisions.values()].filter((count) => count === 1).length;
};

/** Three schedulers share the work; one is killed when a third of it is done. */
const run = async (): Promise<{ readonly once: number; readonly seconds: number }> => {
  const logger = createLogger({ clock, level: 'error' });
  await using server = await startEmbeddedServer({ clock, logger });
  const { client } = server;
  await addClusters(client);
  const controllers = [
    clusterAssignmentController(),
    schedulerLifecycleController(),
    ...BINDING_KINDS.map((kind) => distributorController(kind)),
  ];
  await using manager = new Manager({ client, clock, logger, controllers });
  await manager.start();
  using children = new DisposableStack();
  const processes = NAMES.map(() =>
    children.use(new Child<object, string>('./sharding-scheduler.ts')),
  );
  for (const [at, name] of NAMES.entries()) {
    await client.create(Scheduler, { metadata: { name }, spec: {} });
    await processes[at]?.ask({ name, server: server.url });
  }
  for (;;) {
    const { items } = await client.list(Scheduler);
    if (items.every(({ status }) => (status?.clusters?.inUse ?? []).length > 0)) break;
    await clock.sleep(200);
  }
  let killed = false;
  const before = performance.now();
  const counting = countDecisions(client, (placed) => {
    if (killed || placed < BINDINGS / 3) return;
    killed = true;
    processes[0]?.[Symbol.dispose]();
  });
  for (let at = 0; at < BINDINGS; at += 100) {
    const batch = Array.from({ length: 100 }, (_, offset) => bindingObject(at + offset));
    await Promise.all(batch.map((binding) => client.create(ResourceBinding, binding as never)));
  }
  const once = await counting;
  return { once, seconds: (performance.now() - before) / 1000 };
};

export const exactlyOnce = async (): Promise<readonly Figure[]> => {
  const { once, seconds } = await run();
  const about = `${BINDINGS.toLocaleString('en')} bindings, ${CLUSTERS} clusters, 1 of ${NAMES.length} schedulers killed`;
  return [
    figureOf(
      { what: `scheduled once, ${about}`, unit: 'bindings', better: 'more', peer: 'all', goal: 1 },
      { ours: [once], theirs: [BINDINGS] },
    ),
    figureOf(
      { what: `rate, ${about}`, unit: 'bindings/s', better: 'more', peer: 'floor', goal: 1 },
      { ours: [BINDINGS / seconds], theirs: [FLOOR_PER_SECOND] },
    ),
  ];
};
