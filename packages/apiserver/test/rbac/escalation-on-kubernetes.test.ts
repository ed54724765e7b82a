import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import type { JsonObject } from '@perigee/schema/json';
import { forbiddenRequest } from '../../src/rbac/forbidden-request.ts';
import { Namespace } from '../registry/registry-fixture.ts';
import { type EscalationCase, escalationTable } from './escalation-cases.ts';
import { wish } from './rbac-fixture.ts';
import { realClient, removePolicy, skip, writePolicy } from './real-server.ts';

const KINDS = [
  Role,
  ClusterRole,
  RoleBinding,
  ClusterRoleBinding,
] as unknown as readonly ResourceKind<KubeObject, JsonObject & WrittenObject>[];

const messageOf = async (call: Promise<unknown>): Promise<string | undefined> => {
  try {
    await call;
    return undefined;
  } catch (error) {
    // The client adds what to do.
    if (error instanceof ApiError) return error.message.replace(/; ask an administrator .*$/, '');
    throw error;
  }
};

suite('a real API server refuses escalation in the same words', { skip }, () => {
  const { cases, namespace, ...table } = escalationTable(`perigee-esc-${process.pid}-`);
  const policy = { ...table, namespaces: [namespace] };
  let real: Client & AsyncDisposable;

  before(async () => {
    real = await realClient();
    await writePolicy(real, policy);
  });

  after(async () => {
    await removePolicy(real, policy);
    await real[Symbol.asyncDispose]();
  });

  const attempt = async ({ user, plural, object, old }: EscalationCase) => {
    await using client = await realClient(user);
    const kind = KINDS.find((one) => one.plural === plural) ?? assert.fail(plural);
    const options = { dryRun: true };
    return await messageOf(
      old === undefined
        ? client.create(kind, object as never, options)
        : client.update(kind, object as never, options),
    );
  };

  for (const one of cases) {
    test(`somebody ${one.text}`, async () => {
      using deadline = deadlineAfter(realClock, 10_000);
      for (;;) {
        const message = await attempt(one);
        // Until the server has learnt of the policy, it refuses for another reason.
        const isEarly = message?.includes(' cannot ') && !deadline.signal.aborted;
        if (isEarly) continue;
        assert.equal(message, one.refusal);
        return;
      }
    });
  }

  test('it also refuses what nobody allows in the same words', async () => {
    const user: UserInfo = { name: 'perigee-<nobody>', groups: [] };
    await using client = await realClient(user);
    const read = { verb: 'get', apiGroup: 'rbac.authorization.k8s.io', apiVersion: 'v1' };
    assert.equal(
      await messageOf(client.list(Namespace)),
      forbiddenRequest(wish(user, { verb: 'list', resource: 'namespaces' }), '').message,
    );
    assert.equal(
      await messageOf(client.get(Role, { name: 'r', namespace: 'default' })),
      forbiddenRequest(
        wish(user, { ...read, resource: 'roles', name: 'r', namespace: 'default' }),
        '',
      ).message,
    );
    assert.equal(
      await messageOf(client.get(Namespace, { name: 'x' }, { subresource: 'status' })),
      forbiddenRequest(
        wish(user, { resource: 'namespaces', subresource: 'status', name: 'x', namespace: 'x' }),
        '',
      ).message,
    );
  });
});
