import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AnyPolicy, policyFor } from '@perigee/scheduling/placement/policy/policy-for';
import { withPolicy } from '@perigee/scheduling/placement/policy/propagated-by';

const kind = { apiVersion: 'apps/v1', kind: 'Deployment' };

const policy = (name: string, namespace: string | undefined, more: object = {}): AnyPolicy => {
  const group = namespace === undefined ? 'clusterpropagationpolicy' : 'propagationpolicy';
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [`${group}.karmada.io/permanent-id`]: `id-of-${name}` },
      ...('deletionTimestamp' in more ? { deletionTimestamp: more.deletionTimestamp } : {}),
    },
    spec: { resourceSelectors: [kind], priority: 0, preemption: 'Never', ...more },
  } as never;
};

const template = (owner?: AnyPolicy) =>
  ({
    ...kind,
    metadata: { name: 'web', namespace: 'shop', ...(owner && withPolicy({}, owner)) },
  }) as never;

const nameFor = (policies: readonly AnyPolicy[], owner?: AnyPolicy): string | undefined =>
  policyFor(template(owner), {
    own: policies.filter(({ metadata }) => metadata.namespace === 'shop'),
    wide: policies.filter(({ metadata }) => metadata.namespace === undefined),
    policyNamed: ({ namespace, name }) =>
      policies.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  })?.metadata.name;

describe('the policy of a template', () => {
  const [a, b] = [policy('a', 'shop'), policy('b', 'shop')];
  const wide = policy('wide', undefined, { priority: 9 });
  const taker = policy('taker', 'shop', { priority: 1, preemption: 'Always' });
  const going = policy('going', 'shop', { deletionTimestamp: '2026-01-01T00:00:00Z' });
  const foreign = policy('foreign', 'bank');
  const blind = policy('blind', 'shop', { resourceSelectors: [{ ...kind, name: 'other' }] });
  const cases: readonly (readonly [
    string,
    readonly AnyPolicy[],
    AnyPolicy | undefined,
    string | undefined,
  ])[] = [
    ['nobody wants it', [], undefined, undefined],
    ['one of its namespace goes before a cluster-wide one', [wide, b], undefined, 'b'],
    ['a cluster-wide one, when there is no other', [wide], undefined, 'wide'],
    ['who has it keeps it', [a, b], b, 'b'],
    ['unless another may take it', [a, b, taker], b, 'taker'],
    ['from one that goes, it goes to the next', [a, going], going, 'a'],
    ['from one that is gone, too', [a], b, 'a'],
    ['from one that no longer selects it, too', [a, blind], blind, 'a'],
    ['the marks of a policy of another namespace mean nothing', [a, foreign], foreign, 'a'],
    [
      'nor do those of an earlier policy of the same name',
      [a, b],
      {
        ...b,
        metadata: { ...b.metadata, labels: { 'propagationpolicy.karmada.io/permanent-id': 'old' } },
      },
      'a',
    ],
  ];
  for (const [title, policies, owner, expected] of cases) {
    it(title, () => assert.equal(nameFor(policies, owner as AnyPolicy | undefined), expected));
  }
});
