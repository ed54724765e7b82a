import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import { controllerOf } from '@perigee/api/values/owner-references';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { fetchLineage } from '@perigee/controllers/groups/fetch-lineage';
import { podGroupControllers } from '@perigee/controllers/groups/pod-group-controllers';
import { readGroupLevels } from '@perigee/controllers/groups/read-group-levels';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { groupNameOf } from '@perigee/scheduling/groups/group-names';
import { groupOwnerOf } from '@perigee/scheduling/groups/group-owner';
import fc from 'fast-check';

const namespace = 'default';
const KINDS = [Deployment, ReplicaSet, ConfigMap] as readonly ResourceKind<KubeObject>[];
const RULES = { namespace: 'volcano-system', name: 'volcano-controller-configmap' };

const RULE_SETS = [
  'podgroup-level-rules: []',
  'podgroup-level-rules: []\npodgroup-level-without-rule: root',
  'podgroupLevel: [{apiversion: apps/v1, kind: deployment}]',
  'podgroupLevel: [{apiversion: apps/v1, kind: Deployment, adjust-level: -1}]',
  'podgroupLevel: [{apiversion: v1, kind: configmap, adjust-level: -2}, {apiversion: apps/v1, kind: replicaset}]',
];

const parent = fc.option(fc.nat(9), { nil: undefined });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('own' as const), kind: fc.nat(2), parent }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pod' as const), parent }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('remove' as const),
      which: fc.nat(9),
      orphan: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('rules' as const), which: fc.nat(RULE_SETS.length - 1) }),
  fc.record({ do: fc.constant('ungroup' as const), which: fc.nat(5) }),
  fc.record({ do: fc.constant('restart' as const) }),
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 100, 15_000) }),
  },
);

const specOf = (kind: ResourceKind): object => {
  const labels = { app: 'x' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  return kind.plural === 'configmaps'
    ? {}
    : { spec: { selector: { matchLabels: labels }, template } };
};

const ownedBy = (owner: { kind: ResourceKind; object: KubeObject } | undefined) =>
  owner === undefined
    ? {}
    : {
        ownerReferences: [
          {
            apiVersion: apiVersionOf(owner.kind),
            kind: owner.kind.kind,
            name: owner.object.metadata.name,
            uid: owner.object.metadata.uid,
            controller: true,
          },
        ],
      };

/** Invariants once all controllers are idle. */
const check = async (client: Client, conf: string): Promise<void> => {
  const levels = readGroupLevels(conf);
  const { items: pods } = await client.list(Pod, { namespace });
  const { items: groups } = await client.list(PodGroup, { namespace });
  const used = new Set<string>();
  for (const pod of pods) {
    const { lookUp } = await fetchLineage(client, pod);
    const verdict = groupOwnerOf(pod, levels, lookUp);
    assert.ok(verdict.kind === 'decided');
    const named = groupNameOf(pod);
    const mine = groups.filter(({ metadata }) => metadata.name === named);
    assert.equal(mine.length, 1, `${pod.metadata.name} is in one group`);
    assert.equal(controllerOf(mine[0] as PodGroup)?.uid, verdict.owner.uid, pod.metadata.name);
    used.add(named ?? '');
  }
  assert.deepEqual(groups.map(({ metadata }) => metadata.name).toSorted(), [...used].toSorted());
};

test('whatever happens to owners, pods, groups and rules, each pod ends in the one group that the rules say', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
      const clock = new VirtualClock();
      const logger = createLogger({ clock, level: 'error', write: () => {} });
      await using server = await startEmbeddedServer({ clock, logger, listener: 'none' });
      const { client } = server;
      await client.create(Namespace, { metadata: { name: RULES.namespace } });
      const start = async () => {
        const controllers = podGroupControllers({ client, clock });
        const manager = new Manager({ client, clock, logger, controllers });
        await manager.start();
        return manager;
      };
      let manager = await start();
      let conf = '';
      const owners: { kind: ResourceKind<KubeObject>; object: KubeObject }[] = [];
      const ownerAt = (at: number | undefined) =>
        at === undefined || owners.length === 0 ? undefined : owners[at % owners.length];
      for (const [at, one] of steps.entries()) {
        const name = `o${at}`;
        if (one.do === 'own') {
          const kind = KINDS[one.kind] as ResourceKind<KubeObject>;
          const metadata = { namespace, name, ...ownedBy(ownerAt(one.parent)) };
          owners.push({ kind, object: await client.create(kind, { metadata, ...specOf(kind) }) });
        } else if (one.do === 'pod') {
          const spec = { schedulerName: 'volcano', containers: [{ name: 'c', image: 'i' }] };
          const metadata = { namespace, name, ...ownedBy(ownerAt(one.parent)) };
          await client.create(Pod, { metadata, spec });
        } else if (one.do === 'remove') {
          const owner = ownerAt(one.which);
          const propagationPolicy = one.orphan ? 'Orphan' : 'Background';
          if (owner === undefined) continue;
          const ref = { namespace, name: owner.object.metadata.name };
          await client.delete(owner.kind, ref, { propagationPolicy }).catch(ignoreNotFound);
        } else if (one.do === 'rules') {
          conf = RULE_SETS[one.which] ?? '';
          const data = { 'volcano-controller.conf': conf };
          const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: RULES, data };
          await client.patch(ConfigMap, RULES, { type: 'apply', body, fieldManager: 't' });
        } else if (one.do === 'ungroup') {
          const { items } = await client.list(PodGroup, { namespace });
          const group = items[one.which % Math.max(1, items.length)];
          if (group === undefined) continue;
          const ref = { namespace, name: group.metadata.name };
          await client.delete(PodGroup, ref).catch(ignoreNotFound);
        } else if (one.do === 'restart') {
          await manager[Symbol.asyncDispose]();
          manager = await start();
        } else await clock.advance(one.ms);
      }
      await clock.advance(120_000);
      await check(client, conf);
      await manager[Symbol.asyncDispose]();
    }),
    { numRuns: 25 },
  );
});
