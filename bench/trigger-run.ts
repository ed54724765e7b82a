import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { scheduleTriggerController } from '@perigee/controllers/placement/triggers/schedule-trigger-controller';
import { workloadRebalancerController } from '@perigee/controllers/placement/triggers/workload-rebalancer-controller';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { INTERPRETER_WEBHOOKS } from './interpreter-webhooks.ts';
import { startKarmada } from './karmada-process.ts';
import { bindingObject } from './scheduler-objects.ts';
import { prepare, triggerAll, untilRebalancing } from './trigger-objects.ts';
import type { TriggerCase, TriggerOrder, TriggerPeer, TriggerResult } from './trigger-protocol.ts';

const logger = createLogger({ clock, level: 'error' });
const NEW_WORK_EVERY_MS = 250;
const CHECK_EVERY_MS = 50;

/** Follows the bindings: which were scheduled afresh, and since when new ones have been scheduled. */
class Schedules {
  readonly #afresh = new Set<string>();
  readonly #created = new Map<string, number>();
  longestWaitMs = 0;

  async follow(client: Client, signal: AbortSignal): Promise<void> {
    for await (const { type, object } of client.watch(ResourceBinding, { signal })) {
      if (type === 'BOOKMARK' || type === 'DELETED') continue;
      const { metadata, spec, status } = object as ResourceBinding;
      if (findCondition(status?.conditions, 'Scheduled')?.status !== 'True') continue;
      const at = this.#created.get(metadata.name);
      if (at !== undefined) {
        this.longestWaitMs = Math.max(this.longestWaitMs, performance.now() - at);
        this.#created.delete(metadata.name);
      }
      const { rescheduleTriggeredAt = '' } = spec;
      const { lastScheduledTime = '' } = status ?? {};
      if (rescheduleTriggeredAt !== '' && lastScheduledTime >= rescheduleTriggeredAt) {
        this.#afresh.add(metadata.name);
      }
    }
  }

  get afresh(): number {
    return this.#afresh.size;
  }

  /** True if all new work has been scheduled. */
  get isQuiet(): boolean {
    return this.#created.size === 0;
  }

  async addNew(client: Client, at: number): Promise<void> {
    const binding = bindingObject(at);
    this.#created.set(binding.metadata.name, performance.now());
    await client.create(ResourceBinding, binding as never);
  }
}

const measure = async (client: Client, about: TriggerCase): Promise<TriggerResult> => {
  const { bindings } = about;
  const schedules = new Schedules();
  const stop = new AbortController();
  const following = schedules.follow(client, stop.signal).catch(() => {});
  // New work is scheduled once what was there at the start has been looked at.
  let nextBinding = bindings;
  await schedules.addNew(client, nextBinding++);
  while (!schedules.isQuiet) await clock.sleep(CHECK_EVERY_MS);
  await untilRebalancing(client);
  schedules.longestWaitMs = 0;
  let peakBytes = 0;
  const before = performance.now();
  const telling = triggerAll(client, about);
  for (let looks = 0; schedules.afresh < bindings; looks += 1) {
    peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
    if (looks % (NEW_WORK_EVERY_MS / CHECK_EVERY_MS) === 0)
      await schedules.addNew(client, nextBinding++);
    await clock.sleep(CHECK_EVERY_MS);
  }
  const perSecond = (bindings / (performance.now() - before)) * 1000;
  await telling;
  while (!schedules.isQuiet) await clock.sleep(CHECK_EVERY_MS);
  stop.abort();
  await following;
  return { perSecond, longestWaitMs: schedules.longestWaitMs, peakBytes };
};

const startOurs = async (
  client: Client,
  controllers: readonly ControllerDefinition[],
): Promise<AsyncDisposable> => {
  const manager = new Manager({ client, clock, logger, controllers });
  await manager.start();
  return manager;
};

/** Starts the components that do the work. To the server they are clients like any other. */
const startContender = async (
  { client, url }: EmbeddedServer,
  peer: TriggerPeer | undefined,
): Promise<AsyncDisposable> => {
  if (peer === undefined) {
    const schedulers = BINDING_KINDS.map((kind) => schedulerController(kind));
    const triggers = [workloadRebalancerController(), scheduleTriggerController()];
    return startOurs(client, [...triggers, ...schedulers]);
  }
  const { scheduler, controllerManager, flags } = peer;
  const stack = new AsyncDisposableStack();
  stack.use(startKarmada(scheduler, url, ['--enable-scheduler-estimator=false', ...flags]));
  if (controllerManager === undefined) {
    stack.use(await startOurs(client, [workloadRebalancerController()]));
  } else {
    await client.create(CustomResourceDefinition, INTERPRETER_WEBHOOKS);
    stack.use(startKarmada(controllerManager, url, ['--controllers=workloadRebalancer', ...flags]));
  }
  return stack;
};

const run = async ({ peer, ...about }: TriggerOrder): Promise<TriggerResult> => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'perigee-bench-'));
  try {
    await using server = await startEmbeddedServer({ clock, logger, dataFolder });
    await prepare(server.client, about);
    await using _ = await startContender(server, peer);
    return await measure(server.client, about);
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
};

/** JavaScript is compiled while it runs; what it does before that says nothing about a scheduler of days. */
const WARM_UP = { clusters: 100, bindings: 2000 };

process.on('message', async (order: TriggerOrder) => {
  if (order.peer === undefined) await run({ ...WARM_UP, by: order.by });
  process.send?.(await run(order));
});
