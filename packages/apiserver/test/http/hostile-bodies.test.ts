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
  const data = Object.fromEntries(Array.from({ length: 30_000 }, (_, key) => [`k${key}`, 'v']));
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data };
  const applied = await api.send('PATCH', APPLY, body, 'application/apply-patch+yaml');
  assert.equal(applied.code, 201, applied.text.slice(0, 500));
});
