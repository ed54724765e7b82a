import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { type Standing, standingOf } from '@perigee/scheduling/placement/scheduler/standing';
import { bindingOf, scheduled } from '../binding-of.ts';

const divided = {
  replicas: 2,
  placement: { replicaScheduling: { replicaSchedulingType: 'Divided' } },
} as const;
const decided = { ...scheduled('True'), schedulerObservedGeneration: 2 };
const withoutPolicy = (binding: ResourceBinding, labels = {}): ResourceBinding => ({
  ...binding,
  metadata: { ...binding.metadata, labels },
});

describe('how a binding stands with its scheduler', () => {
  const { placement: _, ...noPlacement } = bindingOf().spec;
  const cases: readonly (readonly [string, ResourceBinding, readonly Standing[]])[] = [
    ['new work waits', bindingOf(divided), ['waiting']],
    ['what is decided and divided stays where it is', bindingOf(divided, decided), []],
    ['duplicated work follows clusters', bindingOf({ replicas: 2 }, decided), ['following']],
    [
      'so does what has no replicas',
      bindingOf({ ...divided, replicas: 0 }, decided),
      ['following'],
    ],
    [
      'what was decided for an earlier state waits',
      bindingOf(divided, { ...decided, schedulerObservedGeneration: 1 }),
      ['waiting'],
    ],
    [
      'what found no place waits',
      bindingOf(divided, { ...decided, ...scheduled('False') }),
      ['waiting'],
    ],
    ['another scheduler', bindingOf({ ...divided, schedulerName: 'other' }), []],
    ['suspended work', bindingOf({ ...divided, suspension: { scheduling: true } }), []],
    ['no placement', { ...bindingOf(), spec: noPlacement }, []],
    ['what only goes along with other work', withoutPolicy(bindingOf(divided)), []],
    [
      'what somebody else than a policy manages',
      withoutPolicy(bindingOf(divided), { 'binding.karmada.io/managed-by': 'x' }),
      ['waiting'],
    ],
  ];
  for (const [title, binding, expected] of cases) {
    it(title, () => assert.deepEqual(standingOf(binding, 'default-scheduler'), expected));
  }
});
