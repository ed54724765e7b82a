import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { PERIGEE_ROLES } from '../../src/perigee/perigee-roles.ts';
import { AccessControl } from '../../src/rbac/access-control.ts';
import { ensureDefaultPolicy } from '../../src/rbac/default-policy/ensure-default-policy.ts';
import { aUser, clusterRole, setUpRbac, toUser, wish } from '../rbac/rbac-fixture.ts';

const READS = ['get', 'list', 'watch'];
const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];

const COLUMNS = [
  'perigee-admin',
  'perigee-data-operator',
  'perigee-user',
  'perigee-inventory-reader',
  'perigee-viewer',
];

/** W: reads and writes; R: reads; -: neither. In the order of the columns. */
const INTENDED: { readonly [resource: string]: string } = {
  'clusters.globalscheduler.com': 'W R R R R',
  'schedulers.globalscheduler.com': 'W - - - R',
  'clusters.cluster.karmada.io': 'W R R R R',
  'clusterrooms.cluster.perigee.io': 'W - - - R',
  'propagationpolicies.policy.karmada.io': 'W - W - R',
  'clusterpropagationpolicies.policy.karmada.io': 'W - - - R',
  'overridepolicies.policy.karmada.io': 'W - W - R',
  'clusteroverridepolicies.policy.karmada.io': 'W - - - R',
  'clustertaintpolicies.policy.karmada.io': 'W - - - R',
  'scheduletriggers.policy.karmada.io': 'W - - - R',
  'resourcebindings.work.karmada.io': 'W - R - R',
  'clusterresourcebindings.work.karmada.io': 'W - - - R',
  'works.work.karmada.io': 'W - - - -',
  'workloadrebalancers.apps.karmada.io': 'W - - - R',
  'resourceinterpretercustomizations.config.karmada.io': 'W - - - R',
  'datasources.datadependency.volcano.sh': 'W W R R R',
  'datasourceclaims.datadependency.volcano.sh': 'W R W - R',
  'datasets.data.fluid.io': 'W W W - R',
  'dataloads.data.fluid.io': 'W W W - R',
  'datamigrates.data.fluid.io': 'W W W - R',
  'databackups.data.fluid.io': 'W W W - R',
  'dataprocesses.data.fluid.io': 'W W W - R',
  'alluxioruntimes.data.fluid.io': 'W W W - R',
  'jindoruntimes.data.fluid.io': 'W W W - R',
  'juicefsruntimes.data.fluid.io': 'W W W - R',
  'efcruntimes.data.fluid.io': 'W W W - R',
  'vineyardruntimes.data.fluid.io': 'W W W - R',
  'thinruntimes.data.fluid.io': 'W W W - R',
  'cacheruntimes.data.fluid.io': 'W W W - R',
  'thinruntimeprofiles.data.fluid.io': 'W W R R R',
  'cacheruntimeclasses.data.fluid.io': 'W W R R R',
  'queues.scheduling.volcano.sh': 'W - R R R',
  'podgroups.scheduling.volcano.sh': 'W - W - R',
  'jobs.batch.volcano.sh': 'W - W - R',
};

const { client, registry } = await setUpRbac();
await ensureDefaultPolicy(client, PERIGEE_ROLES);
for (const name of COLUMNS) {
  const rest = { roleRef: clusterRole(name), subjects: [toUser(name)] };
  await client.create(ClusterRoleBinding, { metadata: { name }, ...rest });
}
// As documented: the user's own namespace by a RoleBinding, the inventory for the whole cluster.
const roleRef = clusterRole('perigee-user');
const subjects = [toUser('tenant')];
await client.create(RoleBinding, {
  metadata: { name: 'tenant', namespace: 'a' },
  roleRef,
  subjects,
});
const inventory = clusterRole('perigee-inventory-reader');
await client.create(ClusterRoleBinding, { metadata: { name: 't' }, roleRef: inventory, subjects });

const access = new AccessControl(registry);
const may = (user: string, verb: string, rest: object): boolean =>
  access.allowed(wish(aUser(user), { verb, ...rest })).allowed;

test('the matrix speaks of every kind', () => {
  assert.deepEqual(
    Object.keys(INTENDED).toSorted(),
    allKinds.map(({ plural, group }) => `${plural}.${group}`).toSorted(),
  );
});

for (const [index, role] of COLUMNS.entries()) {
  for (const verb of [...READS, ...WRITES]) {
    test(`${role}: ${verb}`, () => {
      const allowed = allKinds.filter(({ plural: resource, group: apiGroup, scope }) =>
        may(role, verb, {
          resource,
          apiGroup,
          ...(scope === 'Namespaced' ? { namespace: 'a' } : {}),
        }),
      );
      const intended = Object.entries(INTENDED).filter(([, row]) => {
        const access = row.split(' ')[index];
        return access === 'W' || (access === 'R' && READS.includes(verb));
      });
      assert.deepEqual(
        allowed.map(({ plural, group }) => `${plural}.${group}`).toSorted(),
        intended.map(([resource]) => resource).toSorted(),
      );
    });
  }
}

for (const { plural: resource, group: apiGroup, scope } of allKinds) {
  test(`a tenant may touch ${resource}.${apiGroup} in their own namespace only`, () => {
    const row = (INTENDED[`${resource}.${apiGroup}`] ?? '').split(' ');
    const access = row[COLUMNS.indexOf('perigee-user')];
    for (const verb of WRITES) {
      const isTheirs = access === 'W' && scope === 'Namespaced';
      assert.equal(may('tenant', verb, { resource, apiGroup, namespace: 'a' }), isTheirs, verb);
      assert.equal(may('tenant', verb, { resource, apiGroup, namespace: 'b' }), false, verb);
      assert.equal(may('tenant', verb, { resource, apiGroup }), false, verb);
    }
    for (const verb of READS) {
      const isInventory = access === 'R' && scope === 'Cluster';
      assert.equal(may('tenant', verb, { resource, apiGroup }), isInventory, verb);
    }
  });
}

test('only an administrator may write what controllers write', () => {
  const status = { apiGroup: 'globalscheduler.com', resource: 'clusters', subresource: 'status' };
  for (const role of COLUMNS) assert.equal(may(role, 'update', status), role === 'perigee-admin');
});

test('no role of Perigee reaches Secrets, policy, or the right to act as others', () => {
  const rbac = { apiGroup: 'rbac.authorization.k8s.io', resource: 'clusterroles' };
  for (const role of [...COLUMNS, 'tenant']) {
    for (const verb of [...READS, ...WRITES]) {
      assert.equal(may(role, verb, { resource: 'secrets', namespace: 'a' }), false);
      assert.equal(may(role, verb, rbac), false);
    }
    assert.equal(may(role, 'impersonate', { resource: 'users' }), false);
    assert.equal(may(role, 'bind', rbac), false);
    assert.equal(may(role, 'escalate', rbac), false);
  }
});

test('a tenant runs workloads and reads what became of them', () => {
  const here = { namespace: 'a' };
  assert.ok(may('tenant', 'create', { apiGroup: 'apps', resource: 'deployments', ...here }));
  assert.ok(may('tenant', 'get', { resource: 'pods', subresource: 'log', ...here }));
  assert.ok(may('tenant', 'list', { resource: 'events', ...here }));
  assert.ok(
    !may('tenant', 'create', { apiGroup: 'apps', resource: 'deployments', namespace: 'b' }),
  );
});
