import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { Child } from './child.ts';
import { quantile } from './queues-replay.ts';

const REPLICAS = 3;
const AT_ONCE = 32;
const CHECK_EVERY_MS = 50;
const FLOOD = 'flood';
const NEWCOMER = 'newcomer';

const inBatches = async (count: number, work: (at: number) => Promise<unknown>): Promise<void> => {
  for (let from = 0; from < count; from += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => from + at);
    await Promise.all(batch.map(work));
  }
};

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await clock.sleep(CHECK_EVERY_MS);
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

const addNewcomer = async (client: Client, name: string): Promise<number> => {
  const from = performance.now();
  await client.create(Deployment, deployment(NEWCOMER, name));
  await until(async () => isReady(await client.get(Deployment, { namespace: NEWCOMER, name })));
  return (performance.now() - from) / 1000;
};

/** A control plane under load, of Perigee or of Karmada. */
export interface LoadedPlane {
  readonly client: Client;
  readonly kubeconfig: string;
  readonly members: readonly Client[];
}

const BOUND_IN = 'resourcebinding.karmada.io/namespace';

const isGone = async ({ client, members }: LoadedPlane, namespace: string): Promise<boolean> => {
  const options = { namespace, limit: 1 };
  if ((await client.list(ResourceBinding, options)).items.length > 0) return false;
  for (const member of members) {
    if ((await member.list(Pod, options)).items.length > 0) return false;
  }
  // Works of other namespaces are among them; few are left when nothing else is.
  const { items } = await client.list(Work, {});
  return items.every(({ metadata }) => metadata.annotations?.[BOUND_IN] !== namespace);
};

/** Brings what the load needs, and has one Deployment there and away again: watches are opened at the first. */
export const prepareLoad = async (plane: LoadedPlane): Promise<void> => {
  const { client } = plane;
  for (const name of [FLOOD, NEWCOMER]) {
    await client.create(Namespace, { metadata: { name } });
    await client.create(PropagationPolicy, policy(name));
  }
  await addNewcomer(client, 'first');
  await client.delete(Deployment, { namespace: NEWCOMER, name: 'first' });
  await until(() => isGone(plane, NEWCOMER));
};

export interface LoadTimes {
  /** From the first create until every template says that it is ready. */
  readonly readySeconds: number;
  /** From the first delete until no binding, Work and pod is left. */
  readonly goneSeconds: number;
  readonly newcomerSeconds: number;
  /** The 99th percentile of the time of a reader's requests, until all Deployments were ready. */
  readonly readMs: number;
}

/** Creates and deletes so many Deployments. In between, when all are ready, a callback measures. */
export const playLoad = async (
  plane: LoadedPlane,
  deployments: number,
  atReady: () => Promise<void>,
): Promise<LoadTimes> => {
  const { client, kubeconfig } = plane;
  using reader = new Child<object, readonly number[]>(
    './pipeline-reader.ts',
    ...[kubeconfig, NEWCOMER],
  );
  await reader.answer();
  const stop = new AbortController();
  const ready = new Set<string>();
  void followReady(client, ready, stop.signal).catch(() => {});
  const from = performance.now();
  await inBatches(deployments, (at) => client.create(Deployment, deployment(FLOOD, `web${at}`)));
  const newcomer = addNewcomer(client, 'one');
  await until(() => ready.size > deployments);
  const readySeconds = (performance.now() - from) / 1000;
  const reads = await reader.ask({});
  await atReady();
  const goneFrom = performance.now();
  await inBatches(deployments, (at) =>
    client.delete(Deployment, { namespace: FLOOD, name: `web${at}` }),
  );
  await until(() => isGone(plane, FLOOD));
  const goneSeconds = (performance.now() - goneFrom) / 1000;
  stop.abort();
  const readMs = quantile(
    reads.toSorted((a, b) => a - b),
    0.99,
  );
  return { readySeconds, goneSeconds, newcomerSeconds: await newcomer, readMs };
};
