import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, ConfigMap, Namespace, refused, setUpApi, Widget } from './registry-fixture.ts';

test('a new object gets what only the server can say, its defaults, and no status', async () => {
  const { client, registry } = await setUpApi();
  const body = {
    metadata: {
      name: 'x',
      namespace: 'a',
      uid: 'mine',
      generation: 7,
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      labels: {},
    },
    spec: { size: 3 },
    status: { phase: 'Done' },
  };
  const created = await client.create(Widget, body, { fieldManager: 'tester' });
  const { uid, resourceVersion } = created.metadata;
  assert.match(uid, /^[0-9a-f-]{36}$/);
  assert.equal(resourceVersion, String(registry.store.revision));
  assert.deepEqual(created, {
    apiVersion: 'shop.example.com/v1',
    kind: 'Widget',
    metadata: {
      name: 'x',
      namespace: 'a',
      uid,
      resourceVersion,
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [
        {
          manager: 'tester',
          operation: 'Update',
          apiVersion: 'shop.example.com/v1',
          time: '2026-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { '.': {}, 'f:colour': {}, 'f:size': {} } },
        },
      ],
    },
    spec: { size: 3, colour: 'red' },
  });
  assert.deepEqual(await client.get(Widget, at('x')), created);
  const map = await client.create(ConfigMap, { metadata: at('m'), data: { k: 'v' } });
  assert.equal(map.metadata.generation, undefined);
});

test('what is wrong with a new object is refused, and nothing is stored', async () => {
  const { client, registry, widget } = await setUpApi();
  const { revision } = registry.store;
  await assert.rejects(
    widget('Bad_Name'),
    refused(422, 'Invalid', /^Widget\.shop\.example\.com "Bad_Name" is invalid: metadata\.name: /),
  );
  await assert.rejects(widget('x', { size: 0 }), refused(422, 'Invalid', /spec\.size/));
  await assert.rejects(
    widget('x', { size: 1 }, { labels: { 'a b': 'c' } }),
    refused(422, 'Invalid', /metadata\.labels: Invalid value: "a b"/),
  );
  await assert.rejects(
    client.create(Widget, { metadata: { namespace: 'a' }, spec: {} }),
    refused(422, 'Invalid', /metadata\.name: Required value: name or generateName is required/),
  );
  await assert.rejects(
    widget('x', { size: 1 }, { namespace: 'nowhere' }),
    refused(404, 'NotFound', 'namespaces "nowhere" not found'),
  );
  await assert.rejects(
    widget('x', { size: 1 }, { resourceVersion: '1' }),
    refused(400, 'BadRequest', 'resourceVersion should not be set on objects to be created'),
  );
  // Faults of the object are reported first.
  await assert.rejects(
    widget('x', { size: 0 }, { resourceVersion: '1' }),
    refused(422, 'Invalid', /spec\.size/),
  );
  await assert.rejects(
    widget('x', { size: 1 }, { labels: { n: 1 } }),
    refused(400, 'BadRequest', /^Widget in version "v1" cannot be handled as a Widget: .*labels/),
  );
  await assert.rejects(
    client.create(Widget, { apiVersion: 'v2', metadata: at('x') }),
    refused(400, 'BadRequest', /the API version in the data \(v2\) does not match/),
  );
  await assert.rejects(
    client.create(Namespace, { metadata: { name: 'dotted.name' } }),
    refused(422, 'Invalid', /must not contain dots/),
  );
  assert.equal(registry.store.revision, revision);
});

test('a name is taken once', async () => {
  const { widget } = await setUpApi();
  await widget('x');
  await assert.rejects(
    widget('x'),
    refused(409, 'AlreadyExists', 'widgets.shop.example.com "x" already exists'),
  );
  const results = await Promise.allSettled([widget('y'), widget('y'), widget('y')]);
  assert.deepEqual(results.map(({ status }) => status).toSorted(), [
    'fulfilled',
    'rejected',
    'rejected',
  ]);
});

test('names are made up from generateName until one is free', async () => {
  const { client, clock, registry } = await setUpApi();
  const body = { metadata: { generateName: 'w-', namespace: 'a' }, spec: {} };
  const draws: number[] = [];
  const stuck = { ...clock, random: () => draws.shift() ?? 0, now: () => 0, uuid: () => 'u' };
  Object.assign(registry, { clock: stuck });
  const first = await client.create(Widget, body);
  assert.equal(first.metadata.name, 'w-bbbbb');
  draws.push(0, 0, 0, 0, 0, 0.99);
  const second = await client.create(Widget, body);
  assert.equal(second.metadata.name, 'w-9bbbb');
  await assert.rejects(
    client.create(Widget, body),
    refused(409, 'AlreadyExists', /was not able to generate a unique name/),
  );
});

test('unknown fields are dropped with a warning, refused when strict, or ignored', async () => {
  const { client, warnings } = await setUpApi();
  const body = { metadata: at('x'), spec: { size: 1, odd: true } };
  await assert.rejects(
    client.create(Widget, body, { fieldValidation: 'Strict' }),
    refused(400, 'BadRequest', /strict decoding error: unknown field "spec\.odd"$/),
  );
  await client.create(Widget, body, { fieldValidation: 'Ignore', dryRun: true });
  assert.deepEqual(warnings, []);
  const created = await client.create(Widget, body);
  assert.deepEqual(created.spec, { size: 1, colour: 'red' });
  assert.deepEqual(warnings, ['unknown field "spec.odd"']);
});

test('a dry run answers as the real one and leaves no trace', async () => {
  const { client, registry } = await setUpApi();
  const { revision } = registry.store;
  const body = { metadata: at('x'), spec: { size: 1 } };
  const answer = await client.create(Widget, body, { dryRun: true });
  assert.equal(answer.metadata.resourceVersion, undefined);
  assert.equal(answer.metadata.generation, 1);
  assert.equal(registry.store.revision, revision);
  await assert.rejects(client.get(Widget, at('x')), refused(404, 'NotFound'));
});

test('nothing comes into a namespace that is on its way out', async () => {
  const { client, widget } = await setUpApi();
  await client.create(Namespace, { metadata: { name: 'b', finalizers: ['x.example/hold'] } });
  await client.delete(Namespace, { name: 'b' });
  await assert.rejects(
    widget('x', { size: 1 }, { namespace: 'b' }),
    refused(403, 'Forbidden', /because it is being terminated$/),
  );
});

test('an object that is too large is refused', async () => {
  const { client } = await setUpApi();
  const data = { text: 'x'.repeat(1_600_000) };
  await assert.rejects(
    client.create(ConfigMap, { metadata: at('large'), data }),
    refused(413, 'RequestEntityTooLarge', /^etcdserver: request is too large/),
  );
  await client.create(ConfigMap, { metadata: at('fits'), data: { text: 'x'.repeat(1_500_000) } });
});
