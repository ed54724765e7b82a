import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { createMemoryStore } from '@perigee/apiserver/store/memory-store';
import type { TableEvent } from '@perigee/apiserver/store/store';
import { chooseControllers } from '@perigee/host/choose-controllers';
import { planMembers } from '@perigee/host/members/member-plan';
import { startFleet } from '@perigee/host/start-fleet';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';

const WEB = { namespace: 'default', name: 'web' };

const policy = {
  metadata: WEB,
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
    placement: {
      replicaScheduling: {
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Weighted',
      },
    },
  },
} as const;

const deployment = {
  metadata: WEB,
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'app' }] },
    },
  },
};

/** Kinds that are written now and then, whatever happens. */
const BEATS: ReadonlySet<string> = new Set(['leases', 'clusterrooms', 'clusters', 'schedulers']);

const subjectOf = (event: TableEvent): string => {
  const [cluster, , plural = ''] = event.table.split('/');
  const { object } = event.type === 'DELETED' ? event.previous : event.entry;
  const { reason, involvedObject } = object as {
    readonly reason?: string;
    readonly involvedObject?: { readonly kind?: string };
  };
  const about = plural === 'events' ? ` ${reason} about a ${involvedObject?.kind}` : '';
  return `${cluster === 'root' ? 'control plane' : 'member'} ${plural}${about} ${event.type}`;
};

test('a Deployment of a pod in each of three members is written down in few writes', async () => {
  const clock = new VirtualClock({ seed: 1 });
  await using stack = new AsyncDisposableStack();
  const store = stack.use(createMemoryStore());
  const logger = createLogger({ clock, level: 'error', write: () => {} });
  const server = await startEmbeddedServer({ clock, logger, store, listener: 'none' });
  const members = planMembers(3, 3);
  const chosenControllers = chooseControllers({ controllers: '*', failover: false });
  const fleet = await startFleet({ server, members, chosenControllers, clock, logger });
  await clock.advance(15_000);
  const { client } = server;
  await client.create(PropagationPolicy, policy);
  await clock.advance(15_000);

  const counts = new Map<string, number>();
  using watch = store.watchAll();
  const counting = (async () => {
    for await (const events of watch) {
      for (const event of events) {
        if (BEATS.has(event.table.split('/').at(-1) ?? '')) continue;
        const subject = subjectOf(event);
        counts.set(subject, (counts.get(subject) ?? 0) + 1);
      }
    }
  })();
  await client.create(Deployment, deployment);
  await clock.advance(30_000);
  const { status } = await client.get(Deployment, WEB);
  assert.equal(status?.readyReplicas, 3);
  watch[Symbol.dispose]();
  await counting;
  const stopping = fleet[Symbol.asyncDispose]().then(() => server[Symbol.asyncDispose]());
  await clock.advance(60_000);
  await stopping;

  const lines = [...counts].map(([subject, count]) => `${count} ${subject}`).sort();
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(total <= 58, `${total} writes:\n${lines.join('\n')}`);
  // An Event about a workload is not repeated about its binding, nor with each report.
  const eventsOfPlane = lines.filter((line) => line.includes('control plane events'));
  assert.equal(eventsOfPlane.length, 4, eventsOfPlane.join('\n'));
});
