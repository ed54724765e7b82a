import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_MAPS, serveApi } from './http-fixture.ts';

const APPLY = `${CONFIG_MAPS}/big?fieldManager=me`;

test('YAML of too many tokens is refused with the reason, however it is sent', async () => {
  await using api = await serveApi();
  const yaml = `kind: ConfigMap\napiVersion: v1\nmetadata: {name: big}\ndata: ${'&a '.repeat(280_000)}x`;
  const created = await api.send('POST', CONFIG_MAPS, yaml, 'application/yaml');
  assert.equal(created.code, 400);
  assert.match(String(created.body.message), /more than 100000 tokens.*JSON/);
  const applied = await api.send('PATCH', APPLY, yaml, 'application/apply-patch+yaml');
  assert.equal(applied.code, 400);
  assert.match(String(applied.body.message), /more than 100000 tokens.*JSON/);
  const options = await api.send('DELETE', `${CONFIG_MAPS}/big`, yaml, 'application/yaml');
  assert.equal(options.code, 400);
});

test('JSON that is sent as YAML may have as many tokens as any JSON', async () => {
  await using api = await serveApi();
  const data = Object.fromEntries(Array.from({ length: 19_000 }, (_, key) => [`k${key}`, 'v']));
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data };
  const applied = await api.send('PATCH', APPLY, body, 'application/apply-patch+yaml');
  assert.equal(applied.code, 201, applied.text.slice(0, 500));
});

const keyed = (count: number, value: (key: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, value(key)]));
const configMap = (metadata: object, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'big', ...metadata },
  ...more,
});

/** Each was validated for seconds before it was refused, or stored. */
const HEAVY: readonly (readonly [string, object])[] = [
  ['metadata.labels', configMap({ labels: keyed(150_000, () => 'v') })],
  ['metadata.annotations', configMap({ annotations: keyed(150_000, () => 'v') })],
  ['metadata.finalizers', configMap({ finalizers: Object.keys(keyed(150_000, () => 'v')) })],
  [
    'metadata.ownerReferences',
    configMap({ ownerReferences: Object.values(keyed(9_000, () => ({}))) }),
  ],
  ['metadata.managedFields', configMap({ managedFields: Object.values(keyed(9_000, () => ({}))) })],
  ['data', configMap({}, { data: keyed(100_000, () => 'v') })],
];

test('an object of very many parts is refused before it is validated', async () => {
  await using api = await serveApi();
  for (const [field, body] of HEAVY) {
    const answers = [
      await api.send('POST', CONFIG_MAPS, body),
      await api.send('PATCH', APPLY, body, 'application/apply-patch+yaml'),
    ];
    for (const { code, body: status } of answers) {
      assert.equal(code, 413, field);
      assert.match(
        String(status.message),
        new RegExp(`^the object is too large: ${field} has more`),
      );
    }
  }
  assert.equal((await api.send('POST', CONFIG_MAPS, configMap({}))).code, 201);
  const patch = { metadata: { labels: keyed(30_000, () => 'v') } };
  const patched = await api.send(
    'PATCH',
    `${CONFIG_MAPS}/big`,
    patch,
    'application/merge-patch+json',
  );
  assert.equal(patched.code, 413);
});

test('thousands of mistakes are counted, and the first of them told', async () => {
  await using api = await serveApi();
  const labels = Object.fromEntries(Array.from({ length: 9_000 }, (_, key) => [`!${key}`, 'v']));
  const { code, body } = await api.send('POST', CONFIG_MAPS, configMap({ labels }));
  assert.equal(code, 422);
  assert.match(String(body.message), /and 8500 more problems\]$/);
});

test('thousands of warnings fit into the head of an answer', async () => {
  await using api = await serveApi();
  const { code, headers } = await api.send(
    'POST',
    CONFIG_MAPS,
    configMap(
      {},
      keyed(9_000, () => 1),
    ),
  );
  assert.equal(code, 201);
  const warning = headers.get('warning') ?? '';
  assert.match(warning, /unknown field/);
  assert.ok(warning.length < 8_192, `${warning.length} characters`);
});
