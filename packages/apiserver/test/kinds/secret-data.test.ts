import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { serveApi } from '../http/http-fixture.ts';

test('data of a secret that cannot be read is refused, also where a text replaces it', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const secret = { metadata: { name: 's' }, data: { k: 'not base64!' }, stringData: { k: 'text' } };
  assert.equal((await api.send('POST', '/api/v1/namespaces/a/secrets', secret)).code, 400);
});

test('data of a secret may come byte by byte', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const secrets = '/api/v1/namespaces/a/secrets';
  const { body } = await api.send('POST', secrets, {
    metadata: { name: 's' },
    data: { text: [104, 105], none: [] },
  });
  assert.deepEqual(body.data, { text: 'aGk=', none: '' });
  const patch = (data: object) =>
    api.send('PATCH', `${secrets}/s`, { data }, 'application/strategic-merge-patch+json');
  assert.deepEqual((await patch({ more: [0] })).body.data, {
    text: 'aGk=',
    none: '',
    more: 'AA==',
  });
  const refused = await patch({ more: ['a'] });
  assert.equal(refused.code, 422);
  assert.match(String(refused.body.message), /: unrecognized type: uint8$/);
  const { message } = (await patch({ more: 'no base64!' })).body;
  assert.match(String(message), /: error decoding from json: illegal base64 data at input byte 2$/);
});

test('a directive without effect is an entry of the data, by a bad name', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const secrets = '/api/v1/namespaces/a/secrets';
  await api.send('POST', secrets, { metadata: { name: 's' } });
  const data = { $retainKeys: [] };
  const type = 'application/strategic-merge-patch+json';
  const { code, body } = await api.send('PATCH', `${secrets}/s`, { data }, type);
  assert.equal(code, 422);
  assert.match(String(body.message), /data\[\$retainKeys\]: .*valid config key/);
});
