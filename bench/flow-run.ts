import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { dataOperationsController } from '@perigee/controllers/flows/data-operations-controller';
import { datasetController } from '@perigee/controllers/flows/dataset-controller';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import type { Client } from '@perigee/kube/client/client';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { isConflict } from '@perigee/kube/errors';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { formatTime } from '@perigee/schema/values/time';
import type { FlowOrder, FlowResult } from './flow-protocol.ts';
import { inFolder } from './in-folder.ts';
import { liveBytes } from './live-bytes.ts';
import { clusterObject } from './scheduler-objects.ts';

const logger = createLogger({ clock, level: 'error' });
const interpreter = createInterpreter(nativeKinds);
const NAMESPACE = 'default';
const AT_ONCE = 200;
const CHECK_EVERY_MS = 20;

const inBatches = async (count: number, work: (at: number) => Promise<unknown>): Promise<void> => {
  const all = Array.from({ length: count }, (_, at) => at);
  while (all.length > 0) await Promise.all(all.splice(0, AT_ONCE).map(work));
};

const addCluster = async (client: Client, at: number): Promise<void> => {
  const { status, ...cluster } = clusterObject(at, false);
  const member = await client.create(MemberCluster, cluster as never);
  const lastTransitionTime = formatTime(clock.now());
  const ready = { type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime };
  const apiEnablements = [{ groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] }];
  // The namespace for the claims of datasets.
  const metadata = { name: executionNamespace(member.metadata.name) };
  await client.create(Namespace, { metadata });
  const next = { ...status, apiEnablements, conditions: [ready] };
  await patchStatus(client, MemberCluster, member, next);
};

const stepObject = (flow: string, at: number, dataset: string) => ({
  metadata: { namespace: NAMESPACE, name: `${flow}-${at}` },
  spec: {
    dataset: { name: dataset, mountPath: '/data' },
    processor: {
      job: {
        podSpec: {
          restartPolicy: 'Never',
          containers: [{ name: 'main', image: 'busybox', command: ['true'] }],
        },
      },
    },
    ...(at === 0 ? {} : { runAfter: { kind: 'DataProcess', name: `${flow}-${at - 1}` } }),
  },
});

/** The members, played: each Job is complete as soon as it is placed. What they take is not measured. */
const playMembers = async (client: Client, signal: AbortSignal): Promise<void> => {
  const finishedUids = new Set<string>();
  for await (const { type, object } of client.watch(ResourceBinding, { signal })) {
    if (type === 'BOOKMARK' || type === 'DELETED') continue;
    const { metadata, spec } = object;
    const [cluster] = spec.clusters ?? [];
    if (cluster === undefined || finishedUids.has(metadata.uid)) continue;
    finishedUids.add(metadata.uid);
    const now = formatTime(clock.now());
    const completion = {
      type: 'Complete',
      status: 'True',
      reason: 'CompletionsReached',
      message: '',
      lastTransitionTime: now,
    };
    const status = { startTime: now, completionTime: now, conditions: [completion], succeeded: 1 };
    const item = { clusterName: cluster.name, applied: true, health: 'Healthy', status };
    const { namespace = '', name } = metadata;
    const whole = { metadata: { namespace, name } };
    patchStatus(client, ResourceBinding, whole, { aggregatedStatus: [item] }).catch((error) => {
      if (!isConflict(error) && !signal.aborted) throw error;
    });
  }
};

/** When steps were complete, and when they were begun. */
class Steps {
  readonly completeMs = new Map<string, number>();
  readonly begunMs = new Map<string, number>();

  async follow(client: Client, signal: AbortSignal): Promise<void> {
    for await (const { type, object } of client.watch(DataProcess, { signal })) {
      if (type === 'BOOKMARK') continue;
      const { name } = object.metadata;
      const { phase } = object.status ?? {};
      if (phase === 'Executing' && !this.begunMs.has(name)) {
        this.begunMs.set(name, performance.now());
      }
      if (phase === 'Complete' && !this.completeMs.has(name)) {
        this.completeMs.set(name, performance.now());
      }
    }
  }

  async until(count: number): Promise<void> {
    while (this.completeMs.size < count) await clock.sleep(CHECK_EVERY_MS);
  }
}

const startManager = async (client: Client) => {
  const manager = new Manager({
    client,
    clock,
    logger,
    controllers: [
      schedulerController(BINDING_KINDS[0]),
      dataOperationsController({ interpreter }),
      datasetController(),
    ],
  });
  await manager.start();
  return manager;
};

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

/** Number of writes so far: each write has a revision of its own. */
const writesSoFar = async (client: Client): Promise<number> => {
  const { metadata } = await client.list(MemberCluster);
  return Number(metadata.resourceVersion);
};

/** One long flow, alone: how long it takes from step to step. */
const measureHops = async (
  client: Client,
  steps: Steps,
  { longFlow }: FlowOrder,
): Promise<Pick<FlowResult, 'hopMs' | 'longFlowPerSecond'>> => {
  // The first comes last, so that all others wait.
  await inBatches(longFlow - 1, (index) =>
    client.create(DataProcess, stepObject('long', longFlow - 1 - index, 'd0') as never),
  );
  const before = performance.now();
  await client.create(DataProcess, stepObject('long', 0, 'd0') as never);
  await steps.until(longFlow);
  const tookMs = performance.now() - before;
  const hops = Array.from({ length: longFlow - 1 }, (_, index) => {
    const beginMs = steps.begunMs.get(`long-${index + 1}`) ?? Number.NaN;
    return beginMs - (steps.completeMs.get(`long-${index}`) ?? Number.NaN);
  }).toSorted((a, b) => a - b);
  return {
    hopMs: { p50: at(hops, 0.5), p99: at(hops, 0.99) },
    longFlowPerSecond: (longFlow / tookMs) * 1000,
  };
};

const measure = async (client: Client, order: FlowOrder): Promise<FlowResult> => {
  const stop = new AbortController();
  const steps = new Steps();
  const following = [
    steps.follow(client, stop.signal).catch(() => {}),
    playMembers(client, stop.signal).catch((error) => {
      if (!stop.signal.aborted) throw error;
    }),
  ];
  const hops = await (async () => {
    await using _ = await startManager(client);
    return await measureHops(client, steps, order);
  })();
  const total = order.flows * order.steps;
  const emptyBytes = liveBytes();
  await inBatches(total, (index) => {
    const flow = Math.floor(index / order.steps);
    const dataset = `d${flow % order.datasets}`;
    return client.create(
      DataProcess,
      stepObject(`f${flow}`, index % order.steps, dataset) as never,
    );
  });
  const writtenBefore = await writesSoFar(client);
  const before = performance.now();
  const busy = process.cpuUsage();
  await using _ = await startManager(client);
  await steps.until(order.longFlow + total);
  const stepsPerSecond = (total / (performance.now() - before)) * 1000;
  const { user, system } = process.cpuUsage(busy);
  const cpuMsPerStep = (user + system) / 1000 / total;
  const writesPerStep = ((await writesSoFar(client)) - writtenBefore) / total;
  const bytesPerStep = (liveBytes() - emptyBytes) / total;
  stop.abort();
  await Promise.all(following);
  return { ...hops, stepsPerSecond, cpuMsPerStep, writesPerStep, bytesPerStep };
};

process.on('message', async (order: FlowOrder) => {
  await inFolder(async (dataFolder) => {
    await using server = await startEmbeddedServer({ clock, logger, dataFolder });
    const { client } = server;
    await inBatches(order.clusters, (index) => addCluster(client, index));
    await inBatches(order.datasets, (index) =>
      client.create(Dataset, { metadata: { namespace: NAMESPACE, name: `d${index}` }, spec: {} }),
    );
    process.send?.(await measure(client, order));
  });
});
