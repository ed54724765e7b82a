import { setImmediate as turn } from 'node:timers/promises';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import type { Store, TableEvent } from '@perigee/apiserver/store/store';
import { type Perigee, startPerigee } from '@perigee/host/start-perigee';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { liveBytes } from './live-bytes.ts';
import type { PipelineOrder, PipelineResult } from './pipeline-protocol.ts';

const REPLICAS = 3;
const AT_ONCE = 32;
const LOOK_EVERY_MS = 50;
const FLOOD = 'flood';
const NEWCOMER = 'newcomer';

const inBatches = async (count: number, work: (at: number) => Promise<unknown>): Promise<void> => {
  for (let from = 0; from < count; from += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => from + at);
    await Promise.all(batch.map(work));
  }
};

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await clock.sleep(LOOK_EVERY_MS);
};

const deployment = (namespace: string, name: string) => ({
  metadata: { namespace, name },
  spec: {
    replicas: REPLICAS,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'app' }] },
    },
  },
});

/** Each of three members gets one replica; the others are there and are asked. */
const policy = (namespace: string) => ({
  metadata: { namespace, name: 'divided' },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
    placement: {
      spreadConstraints: [{ spreadByField: 'cluster' as const, minGroups: 3, maxGroups: 3 }],
      replicaScheduling: {
        replicaSchedulingType: 'Divided' as const,
        replicaDivisionPreference: 'Weighted' as const,
      },
    },
  },
});

const managersOf = (object: TableEvent & { readonly type: 'ADDED' | 'MODIFIED' }): string => {
  type Managed = { readonly manager?: string; readonly time?: string };
  const { managedFields = [] } = object.entry.object.metadata as {
    readonly managedFields?: readonly Managed[];
  };
  const newest = managedFields.toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0];
  return newest?.manager ?? 'nobody';
};

/** Counts all writes of a control plane and its members, by who wrote which kind. */
class Writes {
  readonly counts = new Map<string, number>();
  total = 0;

  async follow(store: Store, signal: AbortSignal): Promise<void> {
    using watch = store.watchAll();
    signal.addEventListener('abort', () => watch[Symbol.dispose](), { once: true });
    for await (const events of watch) {
      for (const event of events) this.#count(event);
    }
  }

  #count(event: TableEvent): void {
    this.total += 1;
    const [cluster, , kind] = event.table.split('/');
    const by = event.type === 'DELETED' ? 'deleted' : managersOf(event);
    const key = `${cluster === 'root' ? 'control plane' : 'member'} ${kind} by ${by}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }
}

const storesOf = ({ server, members }: Perigee): readonly Store[] => {
  const registries = [
    server.registry,
    ...members.map(({ metadata }) => server.cluster(metadata.name)?.registry),
  ];
  return registries.flatMap((registry) => registry?.store ?? []);
};

const isReady = ({ status }: Deployment): boolean => status?.readyReplicas === REPLICAS;

/** Notes the Deployments whose templates say that they are ready. */
const followReady = async (
  client: Client,
  ready: Set<string>,
  signal: AbortSignal,
): Promise<void> => {
  for await (const { type, object } of client.watch(Deployment, { signal })) {
    if (type === 'MODIFIED' && isReady(object)) ready.add(object.metadata.name);
  }
};

const addNewcomer = async (client: Client): Promise<number> => {
  const from = performance.now();
  await client.create(Deployment, deployment(NEWCOMER, 'one'));
  await until(async () =>
    isReady(await client.get(Deployment, { namespace: NEWCOMER, name: 'one' })),
  );
  return (performance.now() - from) / 1000;
};

const countLeft = async ({ client, server, members }: Perigee): Promise<number> => {
  const options = { namespace: FLOOD, limit: 1 };
  const [bindings, works] = await Promise.all([
    client.list(ResourceBinding, options),
    client.list(Work, { limit: 1, labelSelector: 'resourcebinding.karmada.io/permanent-id' }),
  ]);
  let left =
    bindings.items.length +
    works.items.filter(
      ({ metadata }) => metadata.annotations?.['resourcebinding.karmada.io/namespace'] === FLOOD,
    ).length;
  for (const { metadata } of members) {
    const { items = [] } = (await server.cluster(metadata.name)?.client.list(Pod, options)) ?? {};
    left += items.length;
  }
  return left;
};

const play = async ({ deployments, members }: PipelineOrder): Promise<PipelineResult> => {
  const logger = createLogger({ clock, level: 'error' });
  await using perigee = await startPerigee({ members, nodes: 100, clock, logger });
  const { client } = perigee;
  for (const name of [FLOOD, NEWCOMER]) {
    await client.create(Namespace, { metadata: { name } });
    await client.create(PropagationPolicy, policy(name));
  }
  const stop = new AbortController();
  const ready = new Set<string>();
  void followReady(client, ready, stop.signal).catch(() => {});
  const bytesBefore = liveBytes();
  const writes = new Writes();
  for (const store of storesOf(perigee)) void writes.follow(store, stop.signal);
  await turn();
  const from = performance.now();
  const cpu = process.cpuUsage();
  await inBatches(deployments, (at) => client.create(Deployment, deployment(FLOOD, `web${at}`)));
  const newcomer = addNewcomer(client);
  await until(() => ready.size > deployments);
  const readySeconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const total = writes.total;
  const counts = [...writes.counts].map(([who, count]) => [who, count / deployments] as const);
  const bytesOfEach = (liveBytes() - bytesBefore) / deployments;
  const goneFrom = performance.now();
  await inBatches(deployments, (at) =>
    client.delete(Deployment, { namespace: FLOOD, name: `web${at}` }),
  );
  await until(async () => (await countLeft(perigee)) === 0);
  const goneSeconds = (performance.now() - goneFrom) / 1000;
  stop.abort();
  return {
    readySeconds,
    goneSeconds,
    bytesOfEach,
    cpuMsOfEach: (user + system) / 1000 / deployments,
    writesOfEach: total / deployments,
    writes: counts.toSorted(([, a], [, b]) => b - a),
    newcomerSeconds: await newcomer,
  };
};

process.once('message', async (order: PipelineOrder) => {
  process.send?.(await play(order), () => process.exit(0));
});
