import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newAccount, startGuarded } from '../authn/tls-fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

test('the past of an object is shown to those who may get it', async () => {
  await using api = await startGuarded();
  await api.admin('POST', MAPS, { metadata: { name: 'm' } });
  const rule = (verbs: string[], resourceNames: string[]) => [
    { apiGroups: [''], resources: ['configmaps'], verbs, resourceNames },
  ];
  const reader = await newAccount(api, 'reader', rule(['get'], ['m']));
  const lister = await newAccount(api, 'lister', rule(['list', 'watch'], []));
  const { body } = await api.admin('GET', `${MAPS}/m`);
  const { resourceVersion } = body.metadata as { resourceVersion: string };
  for (const query of [
    'perigee.io/history=objects',
    `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`,
  ]) {
    const codeOf = async (token: string, name: string) =>
      (await api.call({ token }, 'GET', `${MAPS}/${name}?${query}`)).code;
    assert.equal(await codeOf(reader, 'm'), 200);
    assert.equal(await codeOf(reader, 'kube-root-ca.crt'), 403);
    assert.equal(await codeOf(lister, 'm'), 403);
  }
});
