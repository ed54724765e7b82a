import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Client } from '@perigee/kube/client/client';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { toPolicyRule, uncoveredRules } from '../../src/rbac/cover-rules.ts';
import { ensureDefaultPolicy } from '../../src/rbac/default-policy/ensure-default-policy.ts';
import { setUpRbac } from './rbac-fixture.ts';
import { realClient, skip } from './real-server.ts';

suite('the default policy is that of a real API server', { skip }, () => {
  let real: Client & AsyncDisposable;
  let local: Client;

  before(async () => {
    real = await realClient();
    ({ client: local } = await setUpRbac());
    await ensureDefaultPolicy(local);
  });
  after(() => real[Symbol.asyncDispose]());

  const isOurs = (name: string): boolean => name.startsWith('perigee-');

  for (const kind of [ClusterRole, Role as typeof ClusterRole]) {
    test(`each ${kind.kind} allows the same`, async () => {
      for (const role of (await local.list(kind)).items) {
        const { name, namespace, labels, annotations } = role.metadata;
        if (isOurs(name)) continue;
        const other = await real.get(
          kind,
          namespace === undefined ? { name } : { name, namespace },
        );
        assert.deepEqual(labels, other.metadata.labels, name);
        assert.deepEqual(annotations, other.metadata.annotations, name);
        assert.deepEqual(role.aggregationRule, other.aggregationRule, name);
        // Rules of aggregated roles are gathered elsewhere.
        if (role.aggregationRule !== undefined) continue;
        const [ours, theirs] = [role.rules ?? [], other.rules ?? []];
        assert.deepEqual(uncoveredRules(ours, theirs).map(toPolicyRule), [], name);
        assert.deepEqual(uncoveredRules(theirs, ours).map(toPolicyRule), [], name);
      }
    });
  }

  for (const kind of [ClusterRoleBinding, RoleBinding]) {
    test(`each ${kind.kind} binds the same`, async () => {
      for (const { metadata, roleRef, subjects } of (await local.list(kind)).items) {
        const { name, namespace } = metadata;
        const other = await real.get(
          kind,
          namespace === undefined ? { name } : { name, namespace },
        );
        assert.deepEqual(
          { roleRef, subjects },
          { roleRef: other.roleRef, subjects: other.subjects },
        );
      }
    });
  }
});
