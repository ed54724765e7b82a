import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import fc from 'fast-check';
import { setReady, startFederation } from '../../support/federation.ts';
import { boundTo, deployment } from '../../support/kinds.ts';

const MEMBERS = ['m1', 'm2'];
const NAMES = ['a', 'b'];

type Step =
  | { readonly do: 'bind'; readonly name: string; readonly clusters: readonly string[] }
  | { readonly do: 'edit'; readonly name: string; readonly value: number }
  | { readonly do: 'unbind'; readonly name: string }
  | { readonly do: 'tamper' | 'remove' | 'decorate'; readonly name: string; readonly on: string }
  | { readonly do: 'cut' | 'mend' | 'stop' | 'go'; readonly on: string }
  | { readonly do: 'restart' }
  | { readonly do: 'wait'; readonly ms: number };

const name = fc.constantFrom(...NAMES);
const on = fc.constantFrom(...MEMBERS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('bind' as const), name, clusters: fc.subarray(MEMBERS) }),
  fc.record({ do: fc.constant('edit' as const), name, value: fc.nat(9) }),
  fc.record({ do: fc.constant('unbind' as const), name }),
  fc.record({
    do: fc.constantFrom('tamper' as const, 'remove' as const, 'decorate' as const),
    name,
    on,
  }),
  fc.record({
    do: fc.constantFrom('cut' as const, 'mend' as const, 'stop' as const, 'go' as const),
    on,
  }),
  fc.record({ do: fc.constant('restart' as const) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 30, 100, 5000) }),
);

const HOUR_MS = 3_600_000;
const refOf = (of: string) => ({ namespace: 'default', name: of });
const bindingOf = (of: string) => ({ namespace: 'default', name: `${of}-deployment` });
const ignore = () => {};

const openWorld = async () => {
  const world = await startFederation({ members: MEMBERS });
  const { client } = world;
  const wanted = new Map<string, readonly string[]>();
  const values = new Map<string, number>();
  let edits = 0;
  for (const of of NAMES) await client.create(Deployment, deployment(of, 1));

  const bind = async (of: string, clusters: readonly string[]): Promise<void> => {
    const targets = clusters.map((cluster) => ({ name: cluster, replicas: 1 }));
    wanted.set(of, clusters);
    const present = await client.get(ResourceBinding, bindingOf(of)).catch(ignore);
    // One that is going has to be gone before it can come back.
    if (present?.metadata.deletionTimestamp !== undefined) await world.settle(HOUR_MS);
    const body = { spec: { clusters: targets } };
    if (present !== undefined && present.metadata.deletionTimestamp === undefined) {
      await client.patch(ResourceBinding, bindingOf(of), { type: 'merge', body });
    } else {
      await world.bind(boundTo('apps/v1', 'Deployment', of), targets, { replicas: 1 });
    }
  };

  const perform = async (one: Step): Promise<void> => {
    switch (one.do) {
      case 'bind':
        return bind(one.name, one.clusters);
      case 'unbind':
        wanted.delete(one.name);
        return client.delete(ResourceBinding, bindingOf(one.name)).catch(ignore);
      case 'edit': {
        values.set(one.name, one.value);
        edits += 1;
        const body = { spec: { minReadySeconds: one.value } };
        await client.patch(Deployment, refOf(one.name), { type: 'merge', body });
        const resource = { resourceVersion: `${edits}` };
        const told = { type: 'merge' as const, body: { spec: { resource } } };
        await client.patch(ResourceBinding, bindingOf(one.name), told).catch(ignore);
        return;
      }
      case 'tamper':
      case 'decorate': {
        const body =
          one.do === 'tamper'
            ? { spec: { minReadySeconds: 99, paused: true } }
            : { metadata: { labels: { own: 'yes' } } };
        const { admin } = world.member(one.on);
        await admin.patch(Deployment, refOf(one.name), { type: 'merge', body }).catch(ignore);
        return;
      }
      case 'remove':
        return world.member(one.on).admin.delete(Deployment, refOf(one.name)).catch(ignore);
      case 'cut':
      case 'mend':
        world.member(one.on).connection = one.do === 'cut' ? 'cut' : 'fine';
        return;
      case 'stop':
      case 'go':
        return setReady(client, one.on, one.do === 'go' ? 'True' : 'False');
      case 'restart':
        return world.restart();
      case 'wait':
        await world.settle(one.ms);
    }
  };

  const copies = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const cluster of MEMBERS) {
      const { items } = await world.member(cluster).admin.list(Deployment);
      for (const { metadata, spec } of items) {
        const { minReadySeconds = 0, paused = false } = spec as {
          minReadySeconds?: number;
          paused?: boolean;
        };
        found.push(`${cluster}/${metadata.name}=${minReadySeconds},${paused}`);
      }
    }
    return found.sort();
  };
  const expected = (): readonly string[] =>
    [...wanted]
      .flatMap(([of, clusters]) =>
        clusters.map((cluster) => `${cluster}/${of}=${values.get(of) ?? 0},false`),
      )
      .sort();
  /** Resource versions, which differ after any write. */
  const versions = async () => ({
    members: MEMBERS.map((cluster) => world.member(cluster).revision),
    works: (await client.list(Work)).items.map(({ metadata }) => metadata.resourceVersion),
    bindings: (await client.list(ResourceBinding)).items.map(
      ({ metadata }) => metadata.resourceVersion,
    ),
  });
  return { world, perform, copies, expected, versions };
};

test('whatever happens, members come to have what bindings say, and then it is quiet', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
    const { world, perform, copies, expected, versions } = await openWorld();
    await using _ = world;
    for (const one of steps) await perform(one);
    for (const cluster of MEMBERS) {
      world.member(cluster).connection = 'fine';
      await setReady(world.client, cluster, 'True');
    }
    await world.settle(HOUR_MS);
    assert.deepEqual(await copies(), expected());
    const before = await versions();
    await world.restart();
    await world.settle(HOUR_MS);
    assert.deepEqual(await versions(), before);
  });
  await fc.assert(property, { numRuns: 8 });
});

test('a restart in the middle changes nothing in the end', async () => {
  await using world = await startFederation({ members: MEMBERS });
  const names = Array.from({ length: 20 }, (_, index) => `part-${index}`);
  for (const of of names) {
    await world.client.create(ConfigMap, { metadata: refOf(of) });
    const clusters = MEMBERS.map((cluster) => ({ name: cluster }));
    await world.bind(boundTo('v1', 'ConfigMap', of), clusters);
  }
  // At this moment some are written and some are not.
  await world.restart();
  await world.settle();
  for (const cluster of MEMBERS) {
    const { items } = await world.member(cluster).admin.list(ConfigMap);
    assert.equal(items.length, names.length);
  }
});
