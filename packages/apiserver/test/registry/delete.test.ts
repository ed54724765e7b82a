import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createObject } from '../../src/registry/create.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import { JournaledStore } from '../../src/store/journaled-store.ts';
import {
  at,
  ConfigMap,
  namespaces,
  refused,
  setUpApi,
  Task,
  tasks,
  Widget,
} from './registry-fixture.ts';

const HOLD = 'shop.example.com/hold';

test('an object that nothing holds is gone at once', async () => {
  const { client, widget } = await setUpApi();
  await widget('x');
  await client.delete(Widget, at('x'));
  await assert.rejects(client.get(Widget, at('x')), refused(404, 'NotFound'));
  await assert.rejects(
    client.delete(Widget, at('x')),
    refused(404, 'NotFound', 'widgets.shop.example.com "x" not found'),
  );
});

test('finalizers keep an object until the last is taken away, and none may be added', async () => {
  const { client, registry, widget } = await setUpApi();
  await widget('x', { size: 1 }, { finalizers: [HOLD] });
  await client.delete(Widget, at('x'));
  const held = await client.get(Widget, at('x'));
  assert.equal(held.metadata.deletionTimestamp, '2026-01-01T00:00:00Z');
  assert.equal(held.metadata.deletionGracePeriodSeconds, 0);
  assert.equal(held.metadata.generation, 2);
  const { revision } = registry.store;
  await client.delete(Widget, at('x'));
  assert.equal(registry.store.revision, revision, 'asking again changes nothing');
  const withFinalizers = (finalizers: readonly string[]) =>
    client.patch(Widget, at('x'), { type: 'merge', body: { metadata: { finalizers } } });
  await assert.rejects(
    withFinalizers([HOLD, 'shop.example.com/late']),
    refused(422, 'Invalid', /no new finalizers can be added if the object is being deleted/),
  );
  const twice = ['shop.example.com/late', 'shop.example.com/late'];
  await assert.rejects(
    withFinalizers([HOLD, ...twice]),
    refused(422, 'Invalid', /found new finalizers \[\]string\{"shop\.example\.com\/late"\}/),
  );
  await withFinalizers([]);
  await assert.rejects(client.get(Widget, at('x')), refused(404, 'NotFound'));
});

test('preconditions protect another object of the same name, and a newer state', async () => {
  const { client, widget } = await setUpApi();
  const x = await widget('x');
  const { uid, resourceVersion } = x.metadata;
  await client.delete(Widget, at('x'), { preconditions: { uid, resourceVersion } });
  const again = await widget('x');
  await assert.rejects(
    client.delete(Widget, at('x'), { preconditions: { uid } }),
    refused(409, 'Conflict', /the UID in the precondition .* does not match the UID in record/),
  );
  await assert.rejects(
    client.delete(Widget, at('x'), { preconditions: { resourceVersion } }),
    refused(409, 'Conflict', /the ResourceVersion in the precondition/),
  );
  assert.deepEqual(await client.get(Widget, at('x')), again);
});

test('the propagation policy becomes a finalizer that the garbage collector takes away', async () => {
  const { client, widget } = await setUpApi();
  const cases = [
    ['foreground', 'Foreground', ['foregroundDeletion']],
    ['orphan', 'Orphan', ['orphan']],
  ] as const;
  for (const [name, propagationPolicy, finalizers] of cases) {
    await widget(name);
    await client.delete(Widget, at(name), { propagationPolicy });
    assert.deepEqual((await client.get(Widget, at(name))).metadata.finalizers, finalizers);
  }
  await widget('held', { size: 1 }, { finalizers: [HOLD, 'orphan'] });
  await client.delete(Widget, at('held'), { propagationPolicy: 'Background' });
  assert.deepEqual((await client.get(Widget, at('held'))).metadata.finalizers, [HOLD]);
  await assert.rejects(
    client.delete(Widget, at('held'), { propagationPolicy: 'Odd' as 'Orphan' }),
    refused(422, 'Invalid', /propagationPolicy: Unsupported value: "Odd"/),
  );
});

test('a grace period can be shortened, and ends with a deletion of zero seconds', async () => {
  const { client, clock } = await setUpApi();
  await client.create(Task, { metadata: at('t'), spec: { grace: 60 } });
  await client.delete(Task, at('t'));
  const graceOf = async () => {
    const { metadata } = await client.get(Task, at('t'));
    return [metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds];
  };
  assert.deepEqual(await graceOf(), ['2026-01-01T00:01:00Z', 60]);
  await client.delete(Task, at('t'), { gracePeriodSeconds: 90 });
  assert.deepEqual(await graceOf(), ['2026-01-01T00:01:00Z', 60]);
  await client.delete(Task, at('t'), { gracePeriodSeconds: 20 });
  assert.deepEqual(await graceOf(), ['2026-01-01T00:00:20Z', 20]);
  await clock.advance(30_000);
  await client.delete(Task, at('t'), { gracePeriodSeconds: 5 });
  assert.deepEqual(await graceOf(), ['2026-01-01T00:00:30Z', 1]);
  await client.delete(Task, at('t'), { gracePeriodSeconds: 0 });
  await assert.rejects(client.get(Task, at('t')), refused(404, 'NotFound'));
});

test('an object without a grace period of its own is given none', async () => {
  const { client } = await setUpApi();
  await client.create(Task, { metadata: at('t'), spec: { grace: 0 } });
  await client.delete(Task, at('t'), { gracePeriodSeconds: 60 });
  await assert.rejects(client.get(Task, at('t')), refused(404, 'NotFound'));
});

test('a deletion says whether the object is gone', async () => {
  const { client, registry } = await setUpApi();
  await client.create(Task, { metadata: at('t') });
  const first = await deleteObject(registry, tasks, at('t'));
  assert.equal(first.isGone, false);
  const last = await deleteObject(registry, tasks, { ...at('t'), gracePeriodSeconds: 0 });
  assert.equal(last.isGone, true);
});

test('a collection is deleted by its selector; a dry run deletes nothing', async () => {
  const { client } = await setUpApi();
  for (const [name, app] of [
    ['x', 'one'],
    ['y', 'one'],
    ['z', 'two'],
  ] as const) {
    await client.create(ConfigMap, { metadata: { ...at(name), labels: { app } } });
  }
  const names = async () =>
    (await client.list(ConfigMap)).items.map(({ metadata }) => metadata.name);
  await client.deleteCollection(ConfigMap, { namespace: 'a', dryRun: true });
  assert.deepEqual(await names(), ['x', 'y', 'z']);
  await client.deleteCollection(ConfigMap, { namespace: 'a', labelSelector: 'app=one' });
  assert.deepEqual(await names(), ['z']);
});

test('that an object ends and that it is gone reach the disk together', async () => {
  const batches: (readonly string[])[] = [];
  const store = new JournaledStore(
    {
      load: () => ({ revision: 0, records: [] }),
      commit: async ({ changes }) => {
        batches.push(changes.map(({ type }) => type));
      },
      [Symbol.asyncDispose]: async () => {},
    },
    {},
  );
  const { registry } = await setUpApi();
  const durable = { ...registry, store };
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } };
  await createObject(durable, namespaces, { body });
  const task = { apiVersion: 'v1', kind: 'Task', metadata: { name: 't' }, spec: { grace: 0 } };
  await createObject(durable, tasks, { namespace: 'a', body: task });
  batches.length = 0;
  const { isGone } = await deleteObject(durable, tasks, at('t'));
  assert.equal(isGone, true);
  assert.deepEqual(batches, [['put', 'remove']]);
});
