import { createHash } from 'node:crypto';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { createMemoryStore } from '@perigee/apiserver/store/memory-store';
import type { TableEvent } from '@perigee/apiserver/store/store';
import { chooseControllers } from '@perigee/host/choose-controllers';
import { planMembers } from '@perigee/host/members/member-plan';
import { startFleet } from '@perigee/host/start-fleet';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';

const WORKLOADS = 20;
const FAULT = 'member.perigee.io/fault';

/** Everything that was ever written, in the control plane and in all members. */
export interface History {
  readonly lines: readonly string[];
  readonly hash: string;
  /** Number of ready replicas of each workload in the end. */
  readonly ready: readonly number[];
}

const lineOf = (event: TableEvent): string => {
  const entry = event.type === 'DELETED' ? event.previous : event.entry;
  return `${event.revision} ${event.type} ${event.table} ${entry.key} ${entry.bytes.toString()}`;
};

const inDefault = (name: string) => ({ namespace: 'default', name });

const addWorkload = async (client: Client, name: string, replicas: number): Promise<void> => {
  const labels = { app: name };
  await client.create(Deployment, {
    metadata: { ...inDefault(name), labels: { tier: 'web' } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '100m' } } }],
        },
      },
    },
  });
};

const policy = {
  metadata: inDefault('web'),
  spec: {
    resourceSelectors: [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        labelSelector: { matchLabels: { tier: 'web' } },
      },
    ],
    placement: {
      replicaScheduling: {
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Weighted',
        weightPreference: { dynamicWeight: 'AvailableReplicas' },
      },
    },
  },
} as const;

/** Workloads come, grow and go, while members fail and return. */
const live = async (client: Client, clock: VirtualClock): Promise<void> => {
  const name = (at: number): string => `web-${at}`;
  const fault = (cluster: string, words: string | null, taints: readonly object[] = []) =>
    client.patch(
      MemberCluster,
      { name: cluster },
      { type: 'merge', body: { metadata: { annotations: { [FAULT]: words } }, spec: { taints } } },
    );
  const scale = (at: number, replicas: number) =>
    client.patch(Deployment, inDefault(name(at)), { type: 'merge', body: { spec: { replicas } } });
  await clock.advance(15_000);
  await client.create(PropagationPolicy, policy);
  for (let at = 0; at < WORKLOADS; at++) await addWorkload(client, name(at), 1 + (at % 5));
  await clock.advance(20_000);
  await fault('member2', 'unreachable', [{ key: 'lost', effect: 'NoExecute' }]);
  await fault('member3', 'slow=2s');
  for (let at = 0; at < WORKLOADS; at += 2) await scale(at, 6);
  await clock.advance(60_000);
  await fault('member1', 'full');
  for (let at = 1; at < WORKLOADS; at += 4) await scale(at, 9);
  await clock.advance(60_000);
  for (const cluster of ['member1', 'member2', 'member3']) await fault(cluster, null);
  for (let at = 0; at < WORKLOADS; at += 5) await client.delete(Deployment, inDefault(name(at)));
  await clock.advance(120_000);
};

const readyIn = async (client: Client): Promise<readonly number[]> => {
  const { items } = await client.list(Deployment, { namespace: 'default' });
  return items.map(({ status }) => (status as { readyReplicas?: number })?.readyReplicas ?? 0);
};

/** Runs the whole system with its members on a virtual clock, and writes down what happens. */
export const simulate = async (seed: number): Promise<History> => {
  const clock = new VirtualClock({ seed });
  await using stack = new AsyncDisposableStack();
  const store = stack.use(createMemoryStore());
  const lines: string[] = [];
  using watch = store.watchAll();
  const recording = (async () => {
    for await (const events of watch) for (const event of events) lines.push(lineOf(event));
  })();
  const logger = createLogger({ clock, level: 'error', write: () => {} });
  const server = await startEmbeddedServer({ clock, logger, store, listener: 'none' });
  const members = planMembers(3, 3);
  const chosenControllers = chooseControllers({ controllers: '*', failover: false });
  const fleet = await startFleet({ server, members, chosenControllers, clock, logger });
  await live(server.client, clock);
  const ready = await readyIn(server.client);
  watch[Symbol.dispose]();
  await recording;
  const stopping = fleet[Symbol.asyncDispose]().then(() => server[Symbol.asyncDispose]());
  await clock.advance(60_000);
  await stopping;
  const hash = createHash('sha256').update(lines.join('\n')).digest('hex');
  return { lines, hash, ready };
};
