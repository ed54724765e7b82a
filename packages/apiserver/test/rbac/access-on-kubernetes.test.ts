import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { realClock } from '@perigee/kube/clock/real-clock';
import { isNotFound } from '@perigee/kube/errors';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import type { AccessReview } from '../../src/rbac/access-control.ts';
import type { Attributes } from '../../src/rbac/attributes.ts';
import { ensureDefaultPolicy } from '../../src/rbac/default-policy/ensure-default-policy.ts';
import {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
} from '../../src/rbac/policy-objects.ts';
import { Namespace } from '../registry/registry-fixture.ts';
import { accessTable } from './access-cases.ts';
import { setUpRbac } from './rbac-fixture.ts';

interface Review extends KubeObject {
  readonly status: AccessReview;
}

const SubjectAccessReview: ResourceKind<Review, WrittenObject & { readonly spec: object }> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  scope: 'Cluster',
};

const kubeconfig = process.env.PERIGEE_TEST_KUBECONFIG;
const skip = kubeconfig ? false : 'set PERIGEE_TEST_KUBECONFIG to a cluster with RBAC';

const reviewOf = ({ user, ...wish }: Attributes): object => {
  const who = { user: user.name, groups: user.groups };
  if ('path' in wish) return { ...who, nonResourceAttributes: wish };
  const { apiGroup: group, apiVersion: version, ...rest } = wish;
  return { ...who, resourceAttributes: { ...rest, group, version } };
};

const review = async (client: Client, attributes: Attributes): Promise<AccessReview> => {
  const spec = reviewOf(attributes);
  return (await client.create(SubjectAccessReview, { metadata: {}, spec })).status;
};

const unlessGone = async (deletion: Promise<void>): Promise<void> => {
  try {
    await deletion;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
};

suite('a real API server decides as this one does', { skip }, () => {
  const prefix = `perigee-rbac-${process.pid}-`;
  const { namespaces, roles, bindings, cases } = accessTable(prefix);
  let real: Client & AsyncDisposable;
  let local: Awaited<ReturnType<typeof setUpRbac>>;

  const write = async (client: Client) => {
    for (const name of namespaces) await client.create(Namespace, { metadata: { name } });
    for (const role of roles) {
      const kind: typeof ClusterRole = role.metadata.namespace === undefined ? ClusterRole : Role;
      await client.create(kind, role);
    }
    for (const binding of bindings) {
      const kind = binding.metadata.namespace === undefined ? ClusterRoleBinding : RoleBinding;
      await client.create(kind, binding);
    }
  };

  before(async () => {
    const options = { env: {}, kubeconfig: kubeconfig ?? '', clock: realClock };
    real = createHttpClient(await loadClusterConfig(options), { clock: realClock });
    local = await setUpRbac();
    await ensureDefaultPolicy(local.client);
    await write(local.client);
    await write(real);
  });

  after(async () => {
    for (const { metadata } of [...bindings, ...roles]) {
      const { name = '', namespace } = metadata;
      if (namespace !== undefined) {
        await unlessGone(real.delete(RoleBinding, { name, namespace }));
        await unlessGone(real.delete(Role, { name, namespace }));
      } else {
        await unlessGone(real.delete(ClusterRoleBinding, { name }));
        await unlessGone(real.delete(ClusterRole, { name }));
      }
    }
    for (const name of namespaces) await unlessGone(real.delete(Namespace, { name }));
    await real[Symbol.asyncDispose]();
  });

  // A real server learns of its policy a moment later: what it shall allow is awaited first.
  for (const { text, attributes } of cases.filter(({ allowed }) => allowed)) {
    test(`${text}: yes`, async () => {
      using deadline = deadlineAfter(realClock, 10_000);
      const expected = local.access.allowed(attributes);
      for (;;) {
        const status = await review(real, attributes);
        if (status.allowed || deadline.signal.aborted) {
          assert.deepEqual(status, expected);
          return;
        }
      }
    });
  }

  for (const { text, attributes } of cases.filter(({ allowed }) => !allowed)) {
    test(`${text}: no`, async () => {
      assert.deepEqual(await review(real, attributes), local.access.allowed(attributes));
    });
  }
});
