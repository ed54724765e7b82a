import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import { ensure } from '../../src/client/ensure.ts';
import { getOrUndefined } from '../../src/client/get-or-undefined.ts';
import { patchStatus } from '../../src/client/patch-status.ts';
import { refOf } from '../../src/client/ref-of.ts';
import { setFinalizers } from '../../src/client/set-finalizers.ts';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { ApiError, ignoreNotFound, isConflict, isNotServed, NOT_SERVED } from '../../src/errors.ts';
import { at, Thing, thing } from '../informer/thing.ts';
import { MemoryClient, type MemoryFaults } from '../support/memory-client.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';

const setUp = (faults: MemoryFaults = {}) => {
  const cluster = new MemoryCluster({ clock: new VirtualClock(), kinds: [Thing] });
  const calls: string[] = [];
  const before: MemoryFaults['before'] = (call) => {
    calls.push(call.verb);
    return faults.before?.(call);
  };
  return { calls, client: new MemoryClient(cluster, { ...faults, before }) };
};

const failing = (status: ConstructorParameters<typeof ApiError>[0]) =>
  setUp({
    before: () => {
      throw new ApiError(status);
    },
  });

test('refOf names an object with its namespace if it has one', () => {
  assert.deepEqual(refOf({ metadata: { namespace: 'a', name: 'x' } }), {
    namespace: 'a',
    name: 'x',
  });
  assert.deepEqual(refOf({ metadata: { name: 'x' } }), { name: 'x' });
});

test('getOrUndefined tells a missing object from a failure', async () => {
  const { client } = setUp();
  assert.equal(await getOrUndefined(client, Thing, at('x')), undefined);
  const made = await client.create(Thing, thing('x'));
  assert.deepEqual(await getOrUndefined(client, Thing, at('x')), made);
  const unserved = failing({ code: 404, reason: NOT_SERVED });
  await assert.rejects(getOrUndefined(unserved.client, Thing, at('x')), isNotServed);
  const down = failing({ code: 500, reason: 'InternalError' });
  await assert.rejects(getOrUndefined(down.client, Thing, at('x')), /InternalError/);
});

test('ignoreNotFound lets a delete be done twice, and hides nothing else', async () => {
  const { client } = setUp();
  await client.create(Thing, thing('x'));
  await client.delete(Thing, at('x')).catch(ignoreNotFound);
  await client.delete(Thing, at('x')).catch(ignoreNotFound);
  await client.create(Thing, thing('x'));
  const other = { preconditions: { uid: 'of another' } };
  await assert.rejects(client.delete(Thing, at('x'), other).catch(ignoreNotFound), isConflict);
});

test('ensure creates what is missing, and leaves or patches what is there', async () => {
  const { client, calls } = setUp();
  const made = await ensure(client, Thing, thing('x'));
  assert.equal(made?.spec?.size, 1);
  const other = { ...thing('x'), spec: { size: 2 } };
  assert.equal(await ensure(client, Thing, other), undefined);
  assert.deepEqual((await client.get(Thing, at('x'))).spec, { size: 1 });
  calls.length = 0;
  const patched = await ensure(client, Thing, other, { patch: { spec: other.spec } });
  assert.deepEqual(patched?.spec, { size: 2 });
  assert.deepEqual(calls, ['create', 'patch']);
  const refused = failing({ code: 422, reason: 'Invalid' });
  await assert.rejects(ensure(refused.client, Thing, thing('y')), /Invalid/);
  assert.deepEqual(refused.calls, ['create']);
});

test('patchStatus changes the fields that it is given, of the object that was read', async () => {
  const { client } = setUp();
  const made = await client.create(Thing, thing('x'));
  const seen = await patchStatus(client, Thing, made, { seen: 1 });
  assert.deepEqual([seen.spec, seen.status], [{ size: 1 }, { seen: 1 }]);
  await assert.rejects(patchStatus(client, Thing, made, { seen: 2 }), isConflict);
  const unguarded = await patchStatus(client, Thing, { metadata: at('x') }, { seen: 3 });
  assert.deepEqual(unguarded.status, { seen: 3 });
  const removed = await patchStatus(client, Thing, unguarded, { seen: null });
  assert.deepEqual(removed.status, {});
});

test('setFinalizers writes only another list, and only to the object that was read', async () => {
  const { client, calls } = setUp();
  const made = await client.create(Thing, thing('x'));
  const { finalizers } = made.metadata;
  calls.length = 0;
  assert.equal(await setFinalizers(client, Thing, made, removeFinalizer(finalizers, 'a/b')), made);
  assert.deepEqual(calls, []);
  const held = await setFinalizers(client, Thing, made, addFinalizer(finalizers, 'a/b'));
  assert.deepEqual(held.metadata.finalizers, ['a/b']);
  await assert.rejects(setFinalizers(client, Thing, made, ['c/d']), isConflict);
  calls.length = 0;
  const again = addFinalizer(held.metadata.finalizers, 'a/b');
  assert.equal(await setFinalizers(client, Thing, held, again), held);
  assert.deepEqual(calls, []);
  await client.delete(Thing, at('x'));
  const leaving = await client.get(Thing, at('x'));
  await setFinalizers(client, Thing, leaving, removeFinalizer(['a/b'], 'a/b'));
  assert.equal(await getOrUndefined(client, Thing, at('x')), undefined);
});
