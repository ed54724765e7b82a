import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, ConfigMap, refused, setUpApi, Widget, widgets } from './registry-fixture.ts';

test('of two writers with the same version, exactly one wins', async () => {
  const { client, widget } = await setUpApi();
  const x = await widget('x');
  const write = (size: number) => client.update(Widget, { ...x, spec: { ...x.spec, size } });
  const results = await Promise.allSettled([write(2), write(3)]);
  const [first, second] = results;
  assert.equal(first.status, 'fulfilled');
  assert.ok(second.status === 'rejected');
  assert.ok(
    refused(
      409,
      'Conflict',
      'Operation cannot be fulfilled on widgets.shop.example.com "x": the object has been modified; please apply your changes to the latest version and try again',
    )(second.reason),
  );
  assert.equal((await client.get(Widget, at('x'))).spec?.size, 2);
});

test('the generation counts changes of what is wanted, and the status is a world of its own', async () => {
  const { client, widget } = await setUpApi();
  const x = await widget('x');
  const wider = await client.update(Widget, {
    ...x,
    spec: { size: 2, colour: 'red' },
    status: { phase: 'Ignored' },
  });
  assert.equal(wider.metadata.generation, 2);
  assert.equal(wider.status, undefined);
  const labelled = await client.update(Widget, {
    ...wider,
    metadata: { ...wider.metadata, labels: { a: 'b' } },
  });
  assert.equal(labelled.metadata.generation, 2);
  const told = await client.update(
    Widget,
    {
      ...labelled,
      metadata: { ...labelled.metadata, labels: { a: 'ignored' } },
      spec: { size: 9 },
      status: { phase: 'Ready' },
    },
    { subresource: 'status' },
  );
  assert.deepEqual(told.status, { phase: 'Ready' });
  assert.deepEqual(told.spec, { size: 2, colour: 'red' });
  assert.deepEqual(told.metadata.labels, { a: 'b' });
  assert.equal(told.metadata.generation, 2);
  const again = await client.update(Widget, { ...told, spec: { size: 4 } });
  assert.deepEqual(again.status, { phase: 'Ready' });
  assert.equal(again.metadata.generation, 3);
});

test('an update that changes nothing does not move the revision', async () => {
  const { client, registry, widget } = await setUpApi();
  const x = await widget('x');
  const { revision } = registry.store;
  const { metadata, ...rest } = x;
  const same = await client.update(Widget, { ...rest, spec: { size: 1 }, metadata });
  assert.deepEqual(same, x);
  assert.equal(registry.store.revision, revision);
});

test('the same holds for a version of the API in which objects are not stored', async () => {
  const { client, registry, widget } = await setUpApi();
  await widget('x');
  registry.resources.serve({ ...widgets, version: 'v2' });
  const v2 = { ...Widget, version: 'v2' };
  const x = await client.get(v2, at('x'));
  assert.equal(x.apiVersion, 'shop.example.com/v2');
  const { revision } = registry.store;
  assert.deepEqual(await client.update(v2, x), x);
  assert.equal(registry.store.revision, revision);
  const changed = await client.update(v2, { ...x, spec: { size: 2 } });
  assert.equal(changed.apiVersion, 'shop.example.com/v2');
  assert.equal(
    registry.store.get('root/shop.example.com/widgets', 'a/x')?.object.apiVersion,
    'shop.example.com/v1',
  );
});

test('a version is needed to replace a custom object, not a built-in one', async () => {
  const { client, widget } = await setUpApi();
  await widget('x');
  await assert.rejects(
    client.update(Widget, { metadata: at('x'), spec: {} }),
    refused(422, 'Invalid', /metadata\.resourceVersion: Invalid value: .*must be specified/),
  );
  await client.create(ConfigMap, { metadata: at('m') });
  const map = await client.update(ConfigMap, { metadata: at('m'), data: { k: 'v' } });
  assert.deepEqual(map.data, { k: 'v' });
});

test('an update reaches the object that it means, or none', async () => {
  const { client, widget } = await setUpApi();
  const x = await widget('x');
  await assert.rejects(
    client.update(ConfigMap, { metadata: at('none') }),
    refused(404, 'NotFound', 'configmaps "none" not found'),
  );
  await client.create(ConfigMap, { metadata: at('m') });
  await assert.rejects(
    client.update(ConfigMap, { metadata: { ...at('m'), uid: 'other' } }),
    refused(409, 'Conflict', /Precondition failed: UID in precondition: other/),
  );
  const moved = { ...x.metadata, creationTimestamp: '2001-01-01T00:00:00Z', generation: 99 };
  const kept = await client.update(Widget, { ...x, metadata: moved, spec: { size: 5 } });
  assert.equal(kept.metadata.creationTimestamp, x.metadata.creationTimestamp);
  assert.equal(kept.metadata.generation, 2);
  await assert.rejects(
    client.update(Widget, {
      ...kept,
      metadata: { ...kept.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }),
    refused(422, 'Invalid', /metadata\.deletionTimestamp: Invalid value: .*field is immutable/),
  );
});

test('a scale is a window on the replicas of its object', async () => {
  const { client, widget } = await setUpApi();
  const x = await widget('x', { replicas: 2 });
  await client.update(
    Widget,
    { ...x, status: { replicas: 1, selector: 'app=x' } },
    { subresource: 'status' },
  );
  const scale = await client.get(Widget, at('x'), { subresource: 'scale' });
  assert.equal(scale.kind, 'Scale');
  assert.equal(scale.apiVersion, 'autoscaling/v1');
  assert.deepEqual(scale.spec, { replicas: 2 });
  assert.deepEqual(scale.status, { replicas: 1, selector: 'app=x' });
  const wanted = { ...scale, spec: { replicas: 5 } };
  const scaled = await client.update(Widget, wanted, { subresource: 'scale' });
  assert.deepEqual(scaled.spec, { replicas: 5 });
  const now = await client.get(Widget, at('x'));
  assert.equal(now.spec?.replicas, 5);
  assert.equal(now.metadata.generation, 2);
  await assert.rejects(
    client.update(Widget, wanted, { subresource: 'scale' }),
    refused(409, 'Conflict'),
  );
  const patch = { type: 'merge', body: { spec: { replicas: 6 } } } as const;
  await client.patch(Widget, at('x'), patch, { subresource: 'scale' });
  assert.equal((await client.get(Widget, at('x'))).spec?.replicas, 6);
  const negative = { type: 'merge', body: { spec: { replicas: -1 } } } as const;
  await assert.rejects(
    client.patch(Widget, at('x'), negative, { subresource: 'scale' }),
    refused(422, 'Invalid', /spec\.replicas/),
  );
});

test('a dry run of an update leaves no trace', async () => {
  const { client, registry, widget } = await setUpApi();
  const x = await widget('x');
  const { revision } = registry.store;
  const answer = await client.update(Widget, { ...x, spec: { size: 2 } }, { dryRun: true });
  assert.equal(answer.spec?.size, 2);
  assert.equal(answer.metadata.generation, 2);
  assert.equal(answer.metadata.resourceVersion, x.metadata.resourceVersion);
  assert.equal(registry.store.revision, revision);
  assert.deepEqual(await client.get(Widget, at('x')), x);
});
