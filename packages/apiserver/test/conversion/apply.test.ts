import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { applyObject } from '../../src/registry/apply.ts';
import {
  type Endpoint,
  ref,
  refusedWith,
  reviewed,
  setUpConversion,
  V1,
  V2,
} from './conversion-fixture.ts';

const setUp = async () => {
  const f = await setUpConversion();
  const apply = (
    kind: typeof V1,
    fieldManager: string,
    spec: JsonObject,
    { force = false }: { readonly force?: boolean } = {},
  ) => {
    const apiVersion = `${kind.group}/${kind.version}`;
    const body = { apiVersion, kind: kind.kind, metadata: ref('x'), spec };
    return f.client.patch(kind, ref('x'), { type: 'apply', body, fieldManager, force });
  };
  return { ...f, apply, [Symbol.asyncDispose]: () => f[Symbol.asyncDispose]() };
};

const ownersOf = ({ metadata }: Endpoint) =>
  (metadata.managedFields ?? []).map(({ manager, apiVersion, fieldsV1 }) => [
    manager,
    apiVersion?.split('/')[1],
    Object.keys((fieldsV1 as JsonObject)['f:spec'] as JsonObject),
  ]);

/** All of this was recorded from kube-apiserver 1.36.3. */
test('owners keep their own version, and conflicts are found in it', async () => {
  await using f = await setUp();
  await f.apply(V2, 'one', { host: 's', port: '1' });
  assert.deepEqual(ownersOf(await f.apply(V1, 'two', { extra: 'e' })), [
    ['one', 'v2', ['f:host', 'f:port']],
    ['two', 'v1', ['f:extra']],
  ]);
  await assert.rejects(
    f.apply(V1, 'two', { extra: 'e', hostPort: 'q:1' }),
    refusedWith(409, 'Apply failed with 1 conflict: conflict with "one": .spec.host'),
  );
  const forced = await f.apply(V1, 'two', { extra: 'e', hostPort: 'q:1' }, { force: true });
  assert.deepEqual(ownersOf(forced), [
    ['one', 'v2', ['f:port']],
    ['two', 'v1', ['f:extra', 'f:hostPort']],
  ]);
});

test('an applier that moves on to another version keeps what it applied', async () => {
  await using f = await setUp();
  await f.apply(V2, 'one', { port: '1' });
  await f.apply(V1, 'two', { extra: 'e', hostPort: 'q:1' }, { force: true });
  const before = await f.client.get(V2, ref('x'));
  const moved = await f.apply(V2, 'two', { extra: 'e', host: 'q' });
  assert.deepEqual(moved.spec, { extra: 'e', host: 'q', port: '1' });
  assert.equal(moved.metadata.generation, before.metadata.generation);
  assert.deepEqual(ownersOf(moved), [
    ['one', 'v2', ['f:port']],
    ['two', 'v2', ['f:extra', 'f:host']],
  ]);
});

test('an update in one version takes fields from owners in the other', async () => {
  await using f = await setUp();
  await f.apply(V1, 'one', { hostPort: 'k:1' });
  await f.apply(V2, 'two', { extra: 'e' }, { force: true });
  const body = { spec: { port: '77' } };
  const updated = await f.client.patch(
    V2,
    ref('x'),
    { type: 'merge', body },
    { fieldManager: 'three' },
  );
  assert.deepEqual(ownersOf(updated), [
    ['two', 'v2', ['f:extra']],
    ['three', 'v2', ['f:port', 'f:two']],
  ]);
});

test('what an applier leaves out goes, in whichever version it was applied', async () => {
  await using f = await setUp();
  await f.apply(V1, 'one', { hostPort: 'k:1', extra: 'e' });
  const next = await f.apply(V2, 'one', { host: 'k', port: '1' });
  assert.deepEqual(next.spec, { extra: 'one', host: 'k', port: '1' });
  assert.deepEqual(ownersOf(next), [['one', 'v2', ['f:host', 'f:port']]]);
});

test('an apply that others overtake with a creation changes what they created', async () => {
  await using f = await setUp();
  let isFirst = true;
  f.hook.answer = async (review) => {
    if (isFirst) {
      isFirst = false;
      await f.apply(V1, 'other', { extra: 'theirs' });
    }
    return reviewed(review);
  };
  const [resource] = f.registry.resources.values().filter(({ version }) => version === 'v2');
  assert.ok(resource);
  const { object, created } = await applyObject(f.registry, resource, {
    ...ref('x'),
    config: {
      apiVersion: 'net.example.com/v2',
      kind: 'Endpoint',
      metadata: ref('x'),
      spec: { host: 'h', port: '1' },
    },
    fieldManager: 'one',
  });
  assert.equal(created, false);
  assert.deepEqual(object.spec, { extra: 'theirs', host: 'h', port: '1' });
});
