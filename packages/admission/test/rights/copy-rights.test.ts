import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import type { JsonObject } from '@perigee/schema/json';
import { Namespace } from '../../../apiserver/test/registry/registry-fixture.ts';

test('whoever asks for copies of data must be allowed to make DataLoads', async () => {
  const users = ['claimer', 'user'];
  await using server = await startEmbeddedServer({
    clock,
    access: 'rbac',
    staticTokens: users.map((name) => ({ token: name, clusters: ['root'], user: { name } })),
  });
  const { client, pki, url } = server;
  await client.create(Namespace, { metadata: { name: 'team' } });
  for (const [name, role] of [
    ['claimer', 'perigee-data-claimer'],
    ['user', 'perigee-user'],
  ] as const) {
    await client.create(RoleBinding, {
      metadata: { name, namespace: 'team' },
      roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'User', apiGroup: ClusterRole.group, name }],
    });
  }
  const as = (who: string) =>
    createHttpClient(
      {
        server: url,
        caBundle: pki?.authority,
        credentials: async () => ({ authorization: `Bearer ${who}` }),
      },
      { clock },
    );
  await using claimer = as('claimer');
  await using user = as('user');
  const here = (name: string) => ({ namespace: 'team', name });
  const spec = (more: JsonObject) => ({
    system: 'fluid',
    dataSourceType: 'dataset',
    dataSourceName: 'team/raw',
    workloadSelector: {},
    ...more,
  });
  const copies = { onMissing: 'Copy', copyLimit: { bytes: '1Gi' } };
  const create = (own: typeof user, name: string, more: JsonObject) =>
    own.create(DataSourceClaim, { metadata: here(name), spec: spec(more) as never });
  const change = (own: typeof user, name: string, body: object) =>
    own.patch(DataSourceClaim, here(name), { type: 'merge', body });
  const refused = (work: Promise<unknown>) =>
    assert.rejects(work, (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 403);
      assert.match(error.message, /spec\.onMissing: .*user "claimer" cannot create DataLoads/);
      return true;
    });

  await refused(create(claimer, 'steals', copies));
  await create(claimer, 'own', {});
  await refused(change(claimer, 'own', { spec: copies }));
  await create(user, 'shared', copies);
  await refused(change(claimer, 'shared', { spec: { copyLimit: { bytes: '9Ti' } } }));
  await refused(change(claimer, 'shared', { spec: { dataSourceName: 'team/other' } }));
  await change(claimer, 'shared', { metadata: { labels: { a: 'b' } } });
  await change(claimer, 'shared', { spec: { onMissing: null, copyLimit: null } });
});
