import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { refusalWords } from '@perigee/scheduling/explain/refusal-words';
import { explain } from '@perigee/scheduling/explain/verdicts/explain-decision';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';

const SERVED = [
  { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
];

const cluster = (name: string, spec: object = {}, labels: object = {}, apis: object = SERVED) =>
  clusterFacts({
    metadata: { name, labels },
    spec: { syncMode: 'Push', ...spec },
    status: { apiEnablements: apis, resourceSummary: { allocatable: { cpu: '8', pods: '10' } } },
  } as unknown as MemberCluster);

const RESOURCE = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'a', name: 'web' };

const decided = (placement: Placement, ...clusters: readonly ReturnType<typeof cluster>[]) => {
  const spec = { resource: RESOURCE, replicas: 1, placement, conflictResolution: 'Abort' as const };
  const world = { clusters, rules: standardRules };
  const clusterOf = () => undefined;
  const decision = schedule(spec, {}, world);
  const told = { isFresh: false, clusterOf, status: {}, world };
  const binding = { metadata: { name: 'web' }, spec } as never;
  return {
    told: explain(spec, decision, told),
    event: refusalWords(binding, decision, { world, clusterOf }),
  };
};

const cases: readonly (readonly [string, object, ReturnType<typeof cluster>, object])[] = [
  [
    'a label that has another value',
    { clusterAffinity: { labelSelector: { matchLabels: { tier: 'gold' } } } },
    cluster('m1', {}, { tier: 'silver' }),
    {
      term: 'label tier',
      wanted: ['gold'],
      found: ['silver'],
      message: 'label `tier` is `silver`, the policy wants `gold`',
    },
  ],
  [
    'an API that is served in another version',
    {},
    cluster('m1', {}, {}, [
      { groupVersion: 'apps/v1beta1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
    ]),
    {
      term: 'api',
      wanted: ['apps/v1 Deployment'],
      found: ['apps/v1beta1 Deployment'],
      message: 'Deployment of apps/v1 is not served there; that of apps/v1beta1 is',
    },
  ],
  [
    'a region that is missing where work spreads by it',
    { spreadConstraints: [{ spreadByField: 'region', minGroups: 1 }] },
    cluster('m1'),
    {
      term: 'region',
      wanted: ['any region'],
      found: [],
      message: 'no region is named, and the spread constraint spreads by region',
    },
  ],
  [
    'a zone that is excluded',
    {
      clusterAffinity: {
        fieldSelector: { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['z1'] }] },
      },
    },
    cluster('m1', { zones: ['z1', 'z2'] }),
    {
      term: 'zone',
      wanted: ['z1'],
      found: ['z1', 'z2'],
      message: 'any zone but `z1` wanted, this is `z1` and `z2`',
    },
  ],
];

for (const [what, placement, facts, specific] of cases) {
  test(`a refused cluster says which term refused it: ${what}`, () => {
    const [verdict] = decided(placement as Placement, facts).told.attempts[0]?.clusters ?? [];
    assert.ok(verdict?.verdict === 'refused');
    assert.deepEqual(verdict.specific, specific);
  });
}

test('an Event names terms of the policy, and nothing of what clusters are', () => {
  const placement = { clusterAffinity: { labelSelector: { matchLabels: { tier: 'gold' } } } };
  const { event } = decided(
    placement as Placement,
    cluster('secret-one', {}, { tier: 'platinum' }),
    cluster('secret-two'),
  );
  assert.equal(event, ' Refused: 2 by label tier.');
});

test('the last cluster in use is compared with the first that is not', () => {
  const spreadConstraints = [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }];
  const { told } = decided({ spreadConstraints } as Placement, cluster('m1'), cluster('m2'));
  assert.deepEqual(told.attempts[0]?.choice, {
    chosen: 'm1',
    over: 'm2',
    decidedBy: 'name',
    message:
      'm1 and not m2: their scores are the same (0), so is their room, and it comes first by name',
  });
});
