import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { Work } from '@perigee/api/kinds/placement/work';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { startMember } from '@perigee/member/start-member';
import { startAgent } from '../../src/clusters/agent/start-agent.ts';
import { agentRights } from '../../src/clusters/join/agent-access.ts';

const CLUSTER = 'far';
const VERBS = new Set(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']);

/** A client that records each request in the notation of RBAC rules. */
const noting = (client: Client, used: Set<string>): Client =>
  new Proxy(client, {
    get: (target, verb) => {
      const call = Reflect.get(target, verb);
      if (typeof call !== 'function') return call;
      return (...args: unknown[]) => {
        const { plural, group } = args[0] as ResourceKind;
        const { subresource } = (args.at(-1) ?? {}) as { readonly subresource?: string };
        const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
        if (VERBS.has(String(verb))) used.add(`${String(verb)} ${resource}.${group}`);
        return call.apply(target, args);
      };
    },
  });

const granted = (): ReadonlySet<string> =>
  new Set(
    agentRights(CLUSTER, 'agent')
      .flatMap(({ rules }) => rules as never as { [list: string]: readonly string[] }[])
      .flatMap(({ apiGroups = [], resources = [], verbs = [] }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
        ),
      ),
  );

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { schedulerName: 'volcano', containers: [{ name: 'main', image: 'app:1' }] },
    },
  },
};

/** Rights for rare events: a repeated Event, and leftovers in the member. */
const SELDOM = ['patch events.', 'patch clusters/status.cluster.karmada.io'];

test('an agent may do in the control plane what it needs, and nothing else', async () => {
  const clock = new VirtualClock({ seed: 1 });
  const logger = createLogger({ clock, level: 'error' });
  await using plane = await startEmbeddedServer({ clock, logger, listener: 'none' });
  await using far = await startEmbeddedServer({ clock, logger, listener: 'none' });
  await using _member = await startMember({
    client: far.client,
    clock,
    logger,
    nodes: [{ count: 1 }],
  });
  // The namespaces that joining creates.
  for (const name of ['karmada-cluster', `karmada-es-${CLUSTER}`]) {
    await plane.client.create(Namespace, { metadata: { name } });
  }
  await plane.client.create(MemberCluster, {
    metadata: {
      name: CLUSTER,
      finalizers: ['karmada.io/cluster-controller'],
      annotations: { 'groups.perigee.io/pod-groups': 'enabled' },
    },
    spec: { syncMode: 'Pull' },
  });
  const used = new Set<string>();
  const client = noting(plane.client, used);
  const starting = startAgent({ client, member: far.client, cluster: CLUSTER, clock, logger });
  await clock.advance(5000);
  await using _agent = await starting;
  await plane.client.create(Work, {
    metadata: {
      namespace: `karmada-es-${CLUSTER}`,
      name: 'web',
      finalizers: ['karmada.io/execution-controller'],
    },
    spec: { workload: { manifests: [DEPLOYMENT] } },
  } as never);
  await clock.advance(120_000);
  assert.equal((await far.client.list(PodGroup, { namespace: 'default' })).items.length, 1);
  const { items } = await plane.client.list(Work);
  const [work] = items;
  assert.ok(
    work?.status?.conditions?.some(({ type }) => type === 'Gang'),
    'it told of its groups',
  );
  await plane.client.delete(Work, { namespace: `karmada-es-${CLUSTER}`, name: 'web' });
  await clock.advance(60_000);
  assert.deepEqual((await plane.client.list(Work)).items, [], 'what was deleted is let go');
  // Older servers have no WatchList, so informers list first.
  for (const use of [...used]) if (use.startsWith('watch ')) used.add(use.replace('watch', 'list'));
  for (const use of SELDOM) used.add(use);
  assert.deepEqual([...used].toSorted(), [...granted()].toSorted());
});
