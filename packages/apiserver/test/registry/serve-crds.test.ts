import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/api/json';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { isNotServed } from '@perigee/kube/errors';
import { builtinResources } from '../../src/builtin/builtin-resources.ts';
import { crdStrategy } from '../../src/crd/crd-strategy.ts';
import { serveCrds } from '../../src/registry/serve-crds.ts';
import type { ServedResource } from '../../src/resource/served-resource.ts';
import { widgetCrd, widgetVersion } from '../crd/widget-crd.ts';
import { at, refused, setUpApi, type Thing } from './registry-fixture.ts';

const Gadget: ResourceKind<Thing, never> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};

const builtIn = builtinResources().find(({ plural }) => plural === 'customresourcedefinitions');
assert.ok(builtIn);
const crds: ServedResource = { ...builtIn, strategy: { ...builtIn.strategy, ...crdStrategy } };
const Crd = crds as ResourceKind<Thing, never>;
const NAME = { name: 'widgets.example.com' };

const setUpCrds = async () => {
  const api = await setUpApi();
  api.registry.resources.serve(crds);
  const stop = new AbortController();
  const following = serveCrds(api.registry, crds, stop.signal);
  const { client, clock } = api;
  const define = async (crd: JsonObject) => {
    const created = await client.create(Crd, crd as never);
    await clock.advance(0);
    return created;
  };
  const gadget = (name: string, rest: object = {}) =>
    client.create(Gadget, { metadata: { ...at(name), ...rest }, spec: { size: 1 } } as never);
  const condition = async (type: string, ref = NAME) => {
    const { status } = await client.get(Crd, ref);
    const conditions = (status?.conditions ?? []) as { type: string; status: string }[];
    return conditions.find((one) => one.type === type)?.status;
  };
  return {
    ...api,
    define,
    gadget,
    condition,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await following;
    },
  };
};

test('a definition makes its kind available, and says so', async () => {
  await using api = await setUpCrds();
  await assert.rejects(api.client.list(Gadget), isNotServed);
  await api.define(widgetCrd());
  assert.equal(await api.condition('Established'), 'True');
  assert.equal(await api.condition('NamesAccepted'), 'True');
  const created = await api.gadget('x');
  assert.equal(created.apiVersion, 'example.com/v1');
});

test('a new version and a new default hold for objects that exist already', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  await api.gadget('x');
  const size = { type: 'integer' };
  const spec = { type: 'object', properties: { size, colour: { type: 'string', default: 'red' } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const versions = [
    widgetVersion({ schema }),
    widgetVersion({ name: 'v2', storage: false, schema }),
  ];
  await api.client.patch(Crd, NAME, { type: 'merge', body: { spec: { versions } } });
  await api.clock.advance(0);
  const v2 = { ...Gadget, version: 'v2' };
  const read = await api.client.get(v2, at('x'));
  assert.equal(read.apiVersion, 'example.com/v2');
  assert.deepEqual(read.spec, { size: 1, colour: 'red' });
  const other = await api.client.patch(v2, at('x'), { type: 'merge', body: { spec: { size: 2 } } });
  assert.equal(other.apiVersion, 'example.com/v2');
  assert.equal((await api.client.get(Gadget, at('x'))).apiVersion, 'example.com/v1');
  const one = { versions: [widgetVersion({ schema })] };
  await api.client.patch(Crd, NAME, { type: 'merge', body: { spec: one } });
  await api.clock.advance(0);
  await assert.rejects(api.client.get(v2, at('x')), isNotServed);
});

test('a definition goes after its objects, and ends their watches', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  await api.gadget('x');
  await api.gadget('held', { finalizers: ['example.com/hold'] });
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { type, object } of api.client.watch(Gadget)) {
      seen.push(`${type} ${object.metadata.name}`);
    }
  })();
  await api.client.delete(Crd, NAME);
  await api.clock.advance(0);
  assert.equal(await api.condition('Terminating'), 'True');
  await assert.rejects(api.gadget('late'), refused(405, 'MethodNotAllowed'));
  assert.deepEqual(
    (await api.client.list(Gadget)).items.map(({ metadata }) => metadata.name),
    ['held'],
  );
  const body = { metadata: { finalizers: null } };
  await api.client.patch(Gadget, at('held'), { type: 'merge', body });
  await api.clock.advance(0);
  await assert.rejects(api.client.get(Crd, NAME), refused(404, 'NotFound'));
  await assert.rejects(api.client.list(Gadget), isNotServed);
  await watching;
  assert.deepEqual(seen, ['ADDED held', 'ADDED x', 'MODIFIED held', 'DELETED x', 'DELETED held']);
});

test('a name is given to one definition, and to the next when that is gone', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  const names = { plural: 'others', kind: 'Widget', singular: 'other' };
  await api.define(widgetCrd({ names }, { metadata: { name: 'others.example.com' } }));
  const other = { name: 'others.example.com' };
  assert.equal(await api.condition('NamesAccepted', other), 'False');
  const Other = { ...Gadget, plural: 'others' };
  await assert.rejects(api.client.list(Other), isNotServed);
  await api.client.delete(Crd, NAME);
  await api.clock.advance(0);
  assert.equal(await api.condition('Established', other), 'True');
  assert.deepEqual((await api.client.list(Other)).items, []);
});
