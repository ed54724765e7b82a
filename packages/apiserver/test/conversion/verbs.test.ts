import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';
import {
  type Endpoint,
  endpoint,
  ref,
  reviewed,
  setUpConversion,
  V1,
  V2,
} from './conversion-fixture.ts';

const merge = (body: JsonObject) => ({ type: 'merge', body }) as const;

const specs = (items: readonly Endpoint[]) => items.map(({ spec }) => spec);

test('an object is read in any version, with the defaults of the version in which it is stored', async () => {
  await using f = await setUpConversion();
  await f.client.create(V1, endpoint('x', { hostPort: 'h:1' }));
  assert.deepEqual((await f.client.get(V1, ref('x'))).spec, { hostPort: 'h:1', extra: 'one' });
  const converted = await f.client.get(V2, ref('x'));
  assert.equal((converted as unknown as JsonObject).apiVersion, 'net.example.com/v2');
  assert.deepEqual(converted.spec, { extra: 'one', host: 'h', port: '1' });
});

test('an object is written in any version, and answered as it is stored', async () => {
  await using f = await setUpConversion();
  const created = await f.client.create(V2, endpoint('x', { host: 'h', port: '1' }));
  assert.deepEqual(created.spec, { extra: 'one', host: 'h', port: '1' });
  const { object } = f.registry.store.get('root/net.example.com/endpoints', 'a/x') ?? {};
  assert.equal(object?.apiVersion, 'net.example.com/v1');
  assert.deepEqual(object?.spec, { hostPort: 'h:1' });
  const updated = await f.client.update(V2, {
    ...created,
    spec: { host: 'g', port: '2' },
  } as never);
  assert.deepEqual(updated.spec, { extra: 'one', host: 'g', port: '2' });
  assert.equal(updated.metadata.generation, 2);
  assert.deepEqual((await f.client.get(V1, ref('x'))).spec, { hostPort: 'g:2', extra: 'one' });
});

test('patches of all types see the version that they are for', async () => {
  await using f = await setUpConversion();
  await f.client.create(V1, endpoint('x', { hostPort: 'h:1' }));
  await f.client.patch(V2, ref('x'), merge({ spec: { port: '9' } }));
  assert.equal((await f.client.get(V1, ref('x'))).spec.hostPort, 'h:9');
  const operations = [{ op: 'replace', path: '/spec/host', value: 'g' }] as const;
  await f.client.patch(V2, ref('x'), { type: 'json', operations });
  assert.equal((await f.client.get(V1, ref('x'))).spec.hostPort, 'g:9');
});

test('status and scale work in any version', async () => {
  await using f = await setUpConversion();
  await f.client.create(V1, endpoint('x', { hostPort: 'h:1', n: 2 }));
  const body = { status: { r: 2 } };
  await f.client.patch(V2, ref('x'), merge(body), { subresource: 'status' });
  const scale = await f.client.patch(V2, ref('x'), merge({ spec: { replicas: 4 } }), {
    subresource: 'scale',
  });
  assert.deepEqual([scale.spec, scale.status], [{ replicas: 4 }, { replicas: 2 }]);
  const { spec, status } = await f.client.get(V1, ref('x'));
  assert.deepEqual([spec, status], [{ hostPort: 'h:1', extra: 'one', n: 4 }, { r: 2 }]);
});

test('a write that changes nothing leaves the version as it is', async () => {
  await using f = await setUpConversion('v2');
  const before = await f.client.create(V1, endpoint('x', { hostPort: 'h:1', extra: 'e' }));
  const after = await f.client.patch(V1, ref('x'), merge({ metadata: { labels: null } }));
  assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
});

test('a dry run is converted there and back, and leaves no trace', async () => {
  await using f = await setUpConversion();
  const { revision } = f.registry.store;
  const dry = await f.client.create(V2, endpoint('x', { host: 'h', port: '1' }), { dryRun: true });
  assert.deepEqual(dry.spec, { extra: 'one', host: 'h', port: '1' });
  assert.equal(f.registry.store.revision, revision);
});

test('a list of mixed versions is one review of those that need it', async () => {
  await using f = await setUpConversion();
  for (const name of ['a', 'b', 'c']) {
    await f.client.create(V1, endpoint(name, { hostPort: `${name}:1` }, { labels: { at: name } }));
  }
  f.serve('v2');
  await f.client.create(V2, endpoint('d', { host: 'd', port: '1' }));
  await f.client.patch(V1, ref('b'), merge({ spec: { hostPort: 'b:2' } }));
  f.reviews();
  const { items } = await f.client.list(V2);
  assert.deepEqual(
    items.map(({ spec }) => `${spec.host}:${spec.port}`),
    ['a:1', 'b:2', 'c:1', 'd:1'],
  );
  assert.deepEqual(f.reviews(), [2]);
  const selected = await f.client.list(V1, { labelSelector: 'at in (a,b)' });
  assert.deepEqual(
    specs(selected.items).map(({ hostPort }) => hostPort),
    ['a:1', 'b:2'],
  );
  // The one that was written in this version is known.
  assert.deepEqual(f.reviews(), [1]);
  const page = await f.client.list(V2, { limit: 2 });
  assert.deepEqual([page.items.length, f.reviews()], [2, []]);
});

test('a watch tells changes in its version, also of those that leave a selection', async () => {
  await using f = await setUpConversion();
  await f.client.create(V1, endpoint('x', { hostPort: 'h:1' }, { labels: { on: 'yes' } }));
  const events = f.client.watch(V2, { labelSelector: 'on=yes' })[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await events.next();
    assert.ok(value && value.type !== 'BOOKMARK');
    return [value.type, (value.object as Endpoint).spec.host, (value.object as Endpoint).spec.port];
  };
  assert.deepEqual(await next(), ['ADDED', 'h', '1']);
  await f.client.patch(V1, ref('x'), merge({ spec: { hostPort: 'h:2' } }));
  assert.deepEqual(await next(), ['MODIFIED', 'h', '2']);
  await f.client.patch(V1, ref('x'), merge({ metadata: { labels: { on: 'no' } } }));
  assert.deepEqual(await next(), ['DELETED', 'h', '2']);
  f.hook.answer = () => ({ code: 500, text: 'boom' });
  await f.client.patch(V1, ref('x'), merge({ metadata: { labels: { on: 'yes' } } }));
  await assert.rejects(events.next(), (error) => error instanceof ApiError && error.code === 500);
});

test('many watches of one version take one conversion of each change', async () => {
  await using f = await setUpConversion();
  const watches = Array.from({ length: 5 }, () => f.client.watch(V2)[Symbol.asyncIterator]());
  const told = watches.map((watch) => watch.next());
  await f.client.create(V1, endpoint('x', { hostPort: 'h:1' }));
  const events = await Promise.all(told);
  assert.deepEqual(
    events.map(({ value }) => value?.type),
    ['ADDED', 'ADDED', 'ADDED', 'ADDED', 'ADDED'],
  );
  assert.deepEqual(f.reviews(), [1]);
  await Promise.all(watches.map((watch) => watch.return?.()));
});

test('a write that others overtake while it is converted is decided again', async () => {
  await using f = await setUpConversion();
  await f.client.create(V1, endpoint('x', { hostPort: 'h:1' }));
  let isFirst = true;
  f.hook.answer = async (review) => {
    const { desiredAPIVersion } = review.request as JsonObject;
    if (isFirst && desiredAPIVersion === 'net.example.com/v1') {
      isFirst = false;
      await f.client.patch(V1, ref('x'), merge({ spec: { extra: 'meanwhile' } }));
    }
    return reviewed(review);
  };
  await f.client.patch(V2, ref('x'), merge({ spec: { port: '2' } }));
  assert.equal(isFirst, false);
  assert.deepEqual((await f.client.get(V1, ref('x'))).spec, {
    hostPort: 'h:2',
    extra: 'meanwhile',
  });
});

test('one who is always overtaken is told so after a while', async () => {
  await using f = await setUpConversion();
  await f.client.create(V1, endpoint('x', { hostPort: 'h:1', n: 0 }));
  let n = 0;
  f.hook.answer = async (review) => {
    const { desiredAPIVersion } = review.request as JsonObject;
    n += 1;
    if (desiredAPIVersion === 'net.example.com/v1') {
      await f.client.patch(V1, ref('x'), merge({ spec: { n } }));
    }
    return reviewed(review);
  };
  await assert.rejects(
    f.client.patch(V2, ref('x'), merge({ spec: { port: '2' } })),
    (error) => error instanceof ApiError && error.code === 409,
  );
});

test('objects keep the version in which they were stored until somebody writes them', async () => {
  await using f = await setUpConversion();
  await f.client.create(V1, endpoint('x', { hostPort: 'h:1' }));
  const stored = () =>
    f.registry.store.get('root/net.example.com/endpoints', 'a/x')?.object.apiVersion;
  f.serve('v2');
  assert.deepEqual((await f.client.get(V1, ref('x'))).spec, { hostPort: 'h:1', extra: 'one' });
  assert.equal(stored(), 'net.example.com/v1');
  // A storage migration sends such an update, which changes nothing.
  const same = await f.client.get(V1, ref('x'));
  await f.client.update(V1, same as never);
  assert.equal(stored(), 'net.example.com/v2');
});
