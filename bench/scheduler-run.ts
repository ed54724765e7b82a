import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { startKarmada } from './karmada-process.ts';
import { bindingObject, clusterObject, fill } from './scheduler-objects.ts';
import type { SchedulerCase, SchedulerOrder } from './scheduler-protocol.ts';

const logger = createLogger({ clock, level: 'error' });

/** A tenth of a percent of the clusters are in the rack of a binding, each binding in another one. */
const RACKS = 1000;

const affinityOf = (at: number, { clusters, means }: SchedulerCase): object => {
  const firstOf = at % RACKS;
  if (means === 'ten by label') return { labelSelector: { matchLabels: { rack: `${firstOf}` } } };
  const ten = Array.from({ length: 10 }, (_, one) => `m${(firstOf + one * RACKS) % clusters}`);
  return { clusterNames: ten };
};

const specAt = (at: number, about: SchedulerCase) => {
  const { spec } = bindingObject(at);
  if (about.means === undefined) return spec as never;
  const placement = { ...spec.placement, clusterAffinity: affinityOf(at, about) };
  return { ...spec, placement } as never;
};

/** Decisions in a second, by one thread that does nothing else. */
const decide = (about: SchedulerCase): number => {
  const { clusters, bindings, hasModels } = about;
  const world = {
    clusters: Array.from({ length: clusters }, (_, at) => {
      const { metadata, ...cluster } = clusterObject(at, hasModels);
      const labels = { ...metadata.labels, rack: `${at % RACKS}` };
      return clusterFacts({ ...cluster, metadata: { ...metadata, labels } } as never);
    }),
    rules: standardRules,
  };
  const specs = Array.from({ length: bindings }, (_, at) => specAt(at, about));
  for (const spec of specs.slice(0, 200)) schedule(spec, {}, world);
  const before = performance.now();
  for (const spec of specs) schedule(spec, {}, world);
  return (bindings / (performance.now() - before)) * 1000;
};

/**
 * Bindings scheduled in a second, until the last. A peer is counted from its first on, so that its start is
 * not; ours, which has many under way before the first is done, from before it begins.
 */
const rateOf = async (client: Client, { bindings }: SchedulerCase, from: 'start' | 'first') => {
  const scheduledNames = new Set<string>();
  let before = performance.now();
  for await (const { type, object } of client.watch(ResourceBinding)) {
    if (type === 'BOOKMARK' || type === 'DELETED') continue;
    const { metadata, status } = object as ResourceBinding;
    if (findCondition(status?.conditions, 'Scheduled')?.status !== 'True') continue;
    scheduledNames.add(metadata.name);
    if (scheduledNames.size === 1 && from === 'first') before = performance.now();
    if (scheduledNames.size === bindings) break;
  }
  return (bindings / (performance.now() - before)) * 1000;
};

const inServer = async (
  about: SchedulerCase,
  from: 'start' | 'first',
  work: (client: Client, url: string) => Promise<AsyncDisposable>,
): Promise<number> => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'perigee-bench-'));
  try {
    await using server = await startEmbeddedServer({ clock, logger, dataFolder });
    await fill(server.client, about);
    const rate = rateOf(server.client, about, from);
    await using _ = await work(server.client, server.url);
    return await rate;
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
};

const schedulingHere = async (client: Client): Promise<AsyncDisposable> => {
  const manager = new Manager({
    client,
    clock,
    logger,
    controllers: BINDING_KINDS.map((kind) => schedulerController(kind)),
  });
  await manager.start();
  return manager;
};

const schedulingBy =
  (binary: string, flags: readonly string[]) =>
  async (_: Client, url: string): Promise<AsyncDisposable> =>
    startKarmada(binary, url, ['--enable-scheduler-estimator=false', ...flags]);

/** JavaScript is compiled while it runs; what it does before that says nothing about a scheduler of days. */
const WARM_UP: SchedulerCase = { clusters: 100, bindings: 5_000, hasModels: false };

const scheduleWarm = async (about: SchedulerCase): Promise<number> => {
  await inServer(WARM_UP, 'start', schedulingHere);
  return inServer(about, 'start', schedulingHere);
};

const answer = (order: SchedulerOrder): Promise<number> | number => {
  switch (order.task) {
    case 'decide':
      return decide(order);
    case 'schedule':
      return scheduleWarm(order);
    case 'peer':
      return inServer(order, 'first', schedulingBy(order.binary, order.flags));
  }
};

process.on('message', async (order: SchedulerOrder) => {
  process.send?.(await answer(order));
});
