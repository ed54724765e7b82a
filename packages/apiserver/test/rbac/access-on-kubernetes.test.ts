import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { Attributes } from '@perigee/kubernetes/authorization/attributes';
import type { AccessReview } from '../../src/rbac/access-control.ts';
import { ensureDefaultPolicy } from '../../src/rbac/default-policy/ensure-default-policy.ts';
import type { SubjectRules } from '../../src/rbac/subject-rules.ts';
import { accessTable } from './access-cases.ts';
import { setUpRbac } from './rbac-fixture.ts';
import { realClient, removePolicy, skip, writePolicy } from './real-server.ts';

interface Review extends KubeObject {
  readonly status: AccessReview;
}

interface RulesReview extends KubeObject {
  readonly status: SubjectRules;
}

type Asked = WrittenObject & { readonly spec: object };

const AUTHORIZATION = {
  group: 'authorization.k8s.io',
  version: 'v1',
  scope: 'Cluster',
} as const;

const SubjectAccessReview: ResourceKind<Review, Asked> = {
  ...AUTHORIZATION,
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
};

const SelfSubjectRulesReview: ResourceKind<RulesReview, Asked> = {
  ...AUTHORIZATION,
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
};

/** The rules in an order of their own: a real server has none. */
const sorted = ({ resourceRules, nonResourceRules, ...rest }: SubjectRules) => ({
  ...rest,
  resourceRules: resourceRules.toSorted(byText),
  nonResourceRules: nonResourceRules.toSorted(byText),
});

const byText = (a: object, b: object): number =>
  JSON.stringify(a, Object.keys(a).sort()) < JSON.stringify(b, Object.keys(b).sort()) ? -1 : 1;

const reviewOf = ({ user, ...wish }: Attributes): object => {
  const who = { user: user.name, groups: user.groups };
  if ('path' in wish) return { ...who, nonResourceAttributes: wish };
  const { apiGroup: group, apiVersion: version, ...rest } = wish;
  return { ...who, resourceAttributes: { ...rest, group, version } };
};

suite('a real API server decides as this one does', { skip }, () => {
  const prefix = `perigee-rbac-${process.pid}-`;
  const { cases, ...policy } = accessTable(prefix);
  let real: Client & AsyncDisposable;
  let local: Awaited<ReturnType<typeof setUpRbac>>;

  const review = async (attributes: Attributes): Promise<AccessReview> => {
    const spec = reviewOf(attributes);
    return (await real.create(SubjectAccessReview, { metadata: {}, spec })).status;
  };

  before(async () => {
    real = await realClient();
    local = await setUpRbac();
    await ensureDefaultPolicy(local.client);
    await writePolicy(local.client, policy);
    await writePolicy(real, policy);
  });

  after(async () => {
    await removePolicy(real, policy);
    await real[Symbol.asyncDispose]();
  });

  // A real server learns of its policy a moment later: what it shall allow is awaited first.
  for (const { text, attributes } of cases.filter(({ allowed }) => allowed)) {
    test(`${text}: yes`, async () => {
      using deadline = deadlineAfter(realClock, 10_000);
      const expected = local.access.allowed(attributes);
      for (;;) {
        const status = await review(attributes);
        if (status.allowed || deadline.signal.aborted) {
          assert.deepEqual(status, expected);
          return;
        }
      }
    });
  }

  for (const { text, attributes } of cases.filter(({ allowed }) => !allowed)) {
    test(`${text}: no`, async () => {
      assert.deepEqual(await review(attributes), local.access.allowed(attributes));
    });
  }

  for (const [name, ...groups] of [
    ['jane'],
    ['tim', 'devs', 'system:authenticated'],
    ['gus'],
    ['cara'],
    ['pat'],
  ]) {
    test(`the rules for ${name}`, async () => {
      const prefixed = (text: string) => (text.startsWith('system:') ? text : prefix + text);
      const user = { name: prefixed(name ?? ''), groups: groups.map(prefixed) };
      const known = { ...user, groups: [...new Set([...user.groups, 'system:authenticated'])] };
      const namespace = `${prefix}a`;
      await using client = await realClient(user);
      const spec = { namespace };
      const { status } = await client.create(SelfSubjectRulesReview, { metadata: {}, spec });
      assert.deepEqual(sorted(status), sorted(local.access.rulesFor(known, namespace)));
    });
  }
});
