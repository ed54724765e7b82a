import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { Namespace } from '../../../apiserver/test/registry/registry-fixture.ts';

const DATASET = { dataset: { name: 'model' } };
const SOURCE = { dataSource: { system: 'hive', type: 'table', dataName: 'db.sales' } };

const spec = (...produces: readonly object[]) => ({
  dataset: { name: 'raw', mountPath: '/data' },
  processor: { script: { source: 'true', image: 'sh' } },
  ...(produces.length === 0 ? {} : { produces }),
});

test('whoever says that an operation makes an object must be allowed to create it', async () => {
  const users = ['tenant', 'operator'];
  await using server = await startEmbeddedServer({
    clock,
    access: 'rbac',
    staticTokens: users.map((name) => ({ token: name, clusters: ['root'], user: { name } })),
  });
  const { client, pki, url } = server;
  await client.create(Namespace, { metadata: { name: 'team' } });
  const binding = (name: string, role: string) => ({
    metadata: { name },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'User', apiGroup: ClusterRole.group, name }],
  });
  const tenants = binding('tenant', 'perigee-user');
  const metadata = { ...tenants.metadata, namespace: 'team' };
  await client.create(RoleBinding, { ...tenants, metadata });
  await client.create(ClusterRoleBinding, binding('operator', 'perigee-data-operator'));
  const as = (who: string) =>
    createHttpClient(
      {
        server: url,
        caBundle: pki?.authority,
        credentials: async () => ({ authorization: `Bearer ${who}` }),
      },
      { clock },
    );
  await using tenant = as('tenant');
  await using operator = as('operator');
  const here = (name: string) => ({ namespace: 'team', name });
  const refused = (work: Promise<unknown>, what: RegExp) =>
    assert.rejects(work, (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 403);
      assert.match(error.message, what);
      return true;
    });
  const create = (own: typeof tenant, name: string, ...produces: readonly object[]) =>
    own.create(DataProcess, { metadata: here(name), spec: spec(...produces) as never });
  const change = (own: typeof tenant, name: string, body: object) =>
    own.patch(DataProcess, here(name), { type: 'merge', body: { spec: body } });

  const cannot = /spec\.produces\[\d\]\.dataSource: .*user "tenant" cannot create DataSources/;
  await refused(create(tenant, 'steals', DATASET, SOURCE), cannot);
  await create(tenant, 'own', DATASET, { dataset: { name: 'raw' } });
  await refused(change(tenant, 'own', { produces: [SOURCE] }), cannot);
  await create(operator, 'shared', SOURCE);
  // Both the program and its place decide the contents of the DataSource.
  const script = { processor: { script: { source: 'false' } } };
  await refused(change(tenant, 'shared', script), cannot);
  const placement = { clusterAffinity: { clusterNames: ['m1'] } };
  await refused(change(tenant, 'shared', { placement }), cannot);
  await change(tenant, 'shared', { suspend: true });
  await change(tenant, 'shared', { cancel: true });
});
