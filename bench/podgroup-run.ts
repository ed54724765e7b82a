import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { podGroupControllers } from '@perigee/controllers/groups/pod-group-controllers';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Informer } from '@perigee/kube/informer/informer';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { Pod } from '@perigee/kubernetes/core/pod';
import { groupNameOf } from '@perigee/scheduling/groups/group-names';
import type { PodGroupOrder, PodGroupResult } from './podgroup-protocol.ts';

const namespace = 'default';
const CHECK_EVERY_MS = 100;
const logger = createLogger({ clock, level: 'error' });
const READS_AND_WRITES = new Set(['get', 'list', 'create', 'update', 'patch', 'delete']);

const counting = (client: Client, count: () => void): Client =>
  new Proxy(client, {
    get: (target, verb) => {
      const call = Reflect.get(target, verb);
      if (typeof call !== 'function') return call;
      return (...args: unknown[]) => {
        if (READS_AND_WRITES.has(String(verb))) count();
        return call.apply(target, args);
      };
    },
  });

const reference = (kind: string, name: string, uid: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid, controller: true }],
});

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: {
    schedulerName: 'volcano',
    containers: [{ name: 'main', image: 'app', resources: { requests: { cpu: '1' } } }],
  },
});

const createSet = async (client: Client, name: string): Promise<string> => {
  const spec = { replicas: 10, selector: { matchLabels: { app: name } }, template: template(name) };
  const deployment = await client.create(Deployment, { metadata: { namespace, name }, spec });
  const owned = reference('Deployment', name, deployment.metadata.uid);
  const set = await client.create(ReplicaSet, { metadata: { namespace, name, ...owned }, spec });
  return set.metadata.uid;
};

const createPods = async (client: Client, set: string, uid: string, from: number, to: number) => {
  const { spec } = template(set);
  for (let pod = from; pod < to; pod++) {
    const metadata = { namespace, name: `${set}-${pod}`, ...reference('ReplicaSet', set, uid) };
    await client.create(Pod, { metadata, spec });
  }
};

/** Starts a program on the server, until it is disposed. */
const startMaker = (url: string, [program, ...args]: NonNullable<PodGroupOrder['maker']>) => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-peer-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: url } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  const child = spawn(program, [...args, `--kubeconfig=${kubeconfig}`], { stdio: 'ignore' });
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const run = async (order: PodGroupOrder): Promise<PodGroupResult> => {
  const { workloads, podsOfEach, maker } = order;
  const listener = maker === undefined ? ({ listener: 'none' } as const) : {};
  await using server = await startEmbeddedServer({ clock, logger, ...listener });
  const { client } = server;
  const sets = new Map<string, string>();
  for (let workload = 0; workload < workloads; workload++) {
    const name = `w${workload}`;
    const uid = await createSet(client, name);
    sets.set(name, uid);
    await createPods(client, name, uid, 0, podsOfEach);
  }
  let requests = 0;
  const countingClient = counting(client, () => {
    requests += 1;
  });
  let grouped = 0;
  const informer = new Informer({ client, clock, kind: Pod });
  const note = (pod: Pod): void => {
    if (groupNameOf(pod) !== undefined) grouped += 1;
  };
  informer.addHandler({ onAdd: note, onUpdate: note });
  informer.start();
  await informer.synced;
  let peakBytes = 0;
  const untilGrouped = async (pods: number): Promise<void> => {
    while (grouped < pods) {
      peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
      await clock.sleep(CHECK_EVERY_MS);
    }
  };
  const pods = workloads * podsOfEach;
  if (maker !== undefined) {
    await using _process = startMaker(server.url, maker);
    await untilGrouped(1);
    const [early, from] = [grouped, performance.now()];
    await untilGrouped(pods);
    const perSecond = ((pods - early) / (performance.now() - from)) * 1000;
    await informer.stop();
    return { perSecond, requestsPerPod: Number.NaN, peakBytes };
  }
  const controllers = podGroupControllers({ client: countingClient, clock });
  await using manager = new Manager({ client: countingClient, clock, logger, controllers });
  const before = performance.now();
  await manager.start();
  await untilGrouped(pods);
  const perSecond = (pods / (performance.now() - before)) * 1000;
  requests = 0;
  const some = [...sets].slice(0, Math.ceil(workloads / 10));
  for (const [name, uid] of some) await createPods(client, name, uid, podsOfEach, podsOfEach + 10);
  await untilGrouped(pods + some.length * 10);
  const requestsPerPod = requests / (some.length * 10);
  await informer.stop();
  return { perSecond, requestsPerPod, peakBytes };
};

process.on('message', async (order: PodGroupOrder) => {
  process.send?.(await run(order));
});
