import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinResources } from '../../src/builtin/builtin-resources.ts';
import { serveApi } from '../http/http-fixture.ts';

test('data of a secret that cannot be read is refused, also where a text replaces it', async () => {
  await using api = await serveApi({ resources: builtinResources() });
  const secret = { metadata: { name: 's' }, data: { k: 'not base64!' }, stringData: { k: 'text' } };
  assert.equal((await api.send('POST', '/api/v1/namespaces/a/secrets', secret)).code, 400);
});
