import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { serveApi } from './http-fixture.ts';

test('strict validation of a built-in kind tells unknown fields before those that are there twice', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const path = '/apis/apps/v1/namespaces/a/deployments?fieldValidation=Strict';
  const body = '{"metadata":{"name":"d"},"spec":{"unknownField":1,"replicas":2,"replicas":3}}';
  const { code, body: status } = await api.send('POST', path, body);
  assert.equal(code, 400);
  assert.match(
    `${status.message}`,
    /strict decoding error: unknown field "spec\.unknownField", duplicate field "spec\.replicas"$/,
  );
});
