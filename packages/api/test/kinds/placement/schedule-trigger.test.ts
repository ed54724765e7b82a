import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScheduleTrigger } from '../../../src/kinds/placement/schedule-trigger.ts';
import { assertRefused, store, storedSpec, withSpec } from './admission.ts';

const HEAD = `
apiVersion: policy.karmada.io/v1alpha1
kind: ScheduleTrigger
metadata:
  name: demo
`;

test('the example of the proposal is accepted and stored as written', () => {
  const spec = storedSpec(
    ScheduleTrigger,
    `
apiVersion: policy.karmada.io/v1alpha1
kind: ScheduleTrigger
metadata:
  name: demo
spec:
  targetRefResource:
    - apiVersion: apps/v1
      kind: Deployment
      name: demo-test-1
      namespace: default
    - apiVersion: apps/v1
      kind: Deployment
      name: demo-test-2
      namespace: default
  targetRefPolicy:
    - name: default-pp
      namespace: default
  retryAfterSeconds: 3         # optional, default is 3 seconds
  autoCleanAfterMinutes: 5     # optional, default is 60 monites, 0 means never do auto clean
`,
  );
  assert.deepEqual(spec, {
    targetRefResource: [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'demo-test-1', namespace: 'default' },
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'demo-test-2', namespace: 'default' },
    ],
    targetRefPolicy: [{ name: 'default-pp', namespace: 'default' }],
    retryAfterSeconds: 3,
    autoCleanAfterMinutes: 5,
  });
});

test('the intervals that are left out are filled in, and those that are 0 stay', () => {
  const policy = 'targetRefPolicy: [{ name: everything }]';
  assert.deepEqual(storedSpec(ScheduleTrigger, withSpec(HEAD, policy)), {
    targetRefPolicy: [{ name: 'everything' }],
    retryAfterSeconds: 3,
    autoCleanAfterMinutes: 60,
  });
  const zeros = storedSpec(
    ScheduleTrigger,
    withSpec(HEAD, `${policy}\nretryAfterSeconds: 0\nautoCleanAfterMinutes: 0`),
  );
  assert.equal(zeros.retryAfterSeconds, 0);
  assert.equal(zeros.autoCleanAfterMinutes, 0);
});

test('a status says what moved from where to where', () => {
  const { status } = store(
    ScheduleTrigger,
    `${withSpec(HEAD, 'targetRefPolicy: [{ name: everything }]')}
status:
  observedGeneration: 1
  startTime: 2024-04-17T15:04:05Z
  targets:
    - apiVersion: apps/v1
      kind: Deployment
      namespace: default
      name: shop
      result: Scheduled
      triggeredAt: 2024-04-17T15:04:05Z
      before: [{ name: backup, replicas: 3 }]
      after: [{ name: main, replicas: 2 }, { name: backup, replicas: 1 }]
    - apiVersion: v1
      kind: Namespace
      name: shop
      result: Failed
      reason: BindingNotFound
  failedResourceList:
    - apiVersion: v1
      kind: Namespace
      name: shop
      failReason: no policy propagates it
`,
  );
  assert.partialDeepStrictEqual(status, {
    phase: 'Running',
    targets: [{ after: [{ name: 'main', replicas: 2 }, { name: 'backup' }] }, { name: 'shop' }],
    failedResourceList: [{ failReason: 'no policy propagates it' }],
  });
});

for (const [title, spec, field, message] of [
  ['no target', 'retryAfterSeconds: 1', 'spec', /name at least one target/],
  ['empty targets', 'targetRefPolicy: []\ntargetRefResource: []', 'spec', /at least one target/],
  [
    'a policy without a name',
    'targetRefPolicy: [{ namespace: default }]',
    'spec.targetRefPolicy[0].name',
    /Required value/,
  ],
  [
    'a negative interval',
    'targetRefPolicy: [{ name: a }]\nretryAfterSeconds: -1',
    'spec.retryAfterSeconds',
    /greater than or equal to 0/,
  ],
  [
    'a negative time to clean up',
    'targetRefPolicy: [{ name: a }]\nautoCleanAfterMinutes: -1',
    'spec.autoCleanAfterMinutes',
    /greater than or equal to 0/,
  ],
  [
    'a selector that nothing can match',
    'targetSelectors: [{ labelSelector: { matchLabels: { a: b }, matchExpressions: [{ key: a, operator: NotIn, values: [b] }] } }]',
    'spec.targetSelectors[0].labelSelector',
    /contradicts itself about a/,
  ],
  [
    'a selector of the wrong type',
    'targetSelectors: [{ labelSelector: { matchExpressions: 7 } }]',
    'spec.targetSelectors[0].labelSelector.matchExpressions',
    /must be of type array/,
  ],
  [
    'a schedule that nobody can read',
    'targetSelectors: [{}]\nschedule: every now and then',
    'spec.schedule',
    /expected exactly 5 fields/,
  ],
  [
    'a budget without a schedule',
    'targetSelectors: [{}]\nbudget: { maxRunsPerDay: 1 }',
    'spec.budget',
    /set schedule or onClusters/,
  ],
  [
    'an impossible time of the day',
    'targetSelectors: [{}]\nquietHours: [{ from: "24:00", to: "06:00" }]',
    'spec.quietHours[0].from',
    /should match/,
  ],
] as const) {
  test(`${title} is refused`, () => {
    assertRefused(ScheduleTrigger, withSpec(HEAD, spec), { field, message });
  });
}

test('a result outside the closed list is refused', () => {
  assertRefused(
    ScheduleTrigger,
    `${withSpec(HEAD, 'targetRefPolicy: [{ name: everything }]')}
status:
  targets: [{ apiVersion: v1, kind: Secret, name: a, result: Maybe }]
`,
    {
      field: 'status.targets[0].result',
      message: /Pending.*Triggered.*Scheduled.*NoChange.*Failed/,
    },
  );
});
