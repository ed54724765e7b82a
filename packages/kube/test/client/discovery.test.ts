import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { startFixture } from '../support/tls-api-server-fixture.ts';

for (const discovery of ['v2', 'v2beta1', 'plain'] as const) {
  test(`discovery by ${discovery} documents finds what is served, under a path prefix`, async () => {
    await using f = await startFixture({ server: { discovery, prefix: '/clusters/m' } });
    assert.deepEqual(await f.client.discover(), await f.direct.discover());
    assert.equal(f.server.requests.length, discovery === 'plain' ? 4 : 2);
  });
}

const respond = (body: object) =>
  ({ type: 'answer', code: 200, body: JSON.stringify(body) }) as const;

test('subresources, short names, categories and preference are read from both forms', async () => {
  const expected = {
    ...Deployment,
    singular: 'deployment',
    verbs: ['get', 'list'],
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: ['scale', 'status'],
    preferred: true,
  };
  await using f = await startFixture();
  const on = (path: string) => ({ when: (request: { path: string }) => request.path === path });
  const { shortNames, categories, verbs } = expected;
  const resource = {
    resource: 'deployments',
    responseKind: { group: '', version: '', kind: 'Deployment' },
    scope: 'Namespaced',
    singularResource: 'deployment',
    verbs,
    shortNames,
    categories,
    subresources: [{ subresource: 'scale' }, { subresource: 'status' }],
  };
  const versions = [
    { version: 'v1', resources: [resource] },
    { version: 'v1beta1', resources: [resource] },
    { version: 'v1alpha1', freshness: 'Stale' },
  ];
  const items = [{ metadata: { name: 'apps' }, versions }];
  f.server.faults.add(respond({ kind: 'APIGroupDiscoveryList', items: [] }), on('/api'));
  f.server.faults.add(respond({ kind: 'APIGroupDiscoveryList', items }), on('/apis'));
  assert.deepEqual(await f.client.discover(), [
    expected,
    { ...expected, version: 'v1beta1', preferred: false },
  ]);

  const plain = {
    name: 'deployments',
    singularName: 'deployment',
    namespaced: true,
    kind: 'Deployment',
    verbs,
  };
  f.server.faults.add(respond({ kind: 'APIVersions', versions: [] }), on('/api'));
  const groups = [
    { name: 'apps', versions: [{ version: 'v1' }], preferredVersion: { version: 'v1' } },
  ];
  f.server.faults.add(respond({ kind: 'APIGroupList', groups }), on('/apis'));
  const resources = [
    { ...plain, shortNames, categories },
    { ...plain, name: 'deployments/scale', kind: 'Scale', singularName: '' },
    { ...plain, name: 'deployments/status', singularName: '' },
  ];
  f.server.faults.add(respond({ kind: 'APIResourceList', resources }), on('/apis/apps/v1'));
  assert.deepEqual(await f.client.discover(), [expected]);
});

test('a group whose own server is down hides no other group', async () => {
  const warnings: string[] = [];
  await using f = await startFixture({
    server: { discovery: 'plain' },
    client: { logger: { warn: (message) => warnings.push(message) }, retry: { attempts: 1 } },
  });
  f.server.faults.add(
    { type: 'answer', code: 503 },
    { when: ({ path }) => path.startsWith('/apis/') },
  );
  assert.deepEqual(
    (await f.client.discover()).map(({ plural }) => plural),
    ['configmaps'],
  );
  assert.match(
    warnings.join(),
    /cannot discover rbac\.authorization\.k8s\.io\/v1: .*HTTP status 503/,
  );
});
