import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';

const cluster = (name: string, { labels = {}, spec = {}, summary = {} } = {}): MemberCluster =>
  ({
    metadata: { name, labels },
    spec,
    status: {
      apiEnablements: [
        { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
      ],
      resourceSummary: { allocatable: { cpu: '100', pods: '110' }, ...summary },
    },
  }) as never;

const divided = {
  replicaSchedulingType: 'Divided',
  replicaDivisionPreference: 'Weighted',
  weightPreference: { dynamicWeight: 'AvailableReplicas' },
};

const binding = (spec: object): BindingSpec =>
  ({
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u' },
    replicas: 4,
    placement: { replicaScheduling: divided },
    ...spec,
  }) as never;

const decide = (spec: BindingSpec, clusters: readonly MemberCluster[], status = {}) =>
  schedule(spec, status, { clusters: clusters.map(clusterFacts), rules: standardRules }).outcome;

describe('upstream defects that are fixed here', () => {
  it('a spread constraint without an upper limit selects clusters instead of failing', () => {
    const spreadConstraints = [{ spreadByField: 'cluster', minGroups: 1 }];
    const spec = binding({ placement: { spreadConstraints, replicaScheduling: divided } });
    const outcome = decide(spec, [cluster('m1'), cluster('m2')]);
    assert.equal(outcome.kind === 'placed' && outcome.clusters.length, 2);
  });

  it('a workload without replicas that is scheduled afresh does not overflow', () => {
    const spec = binding({
      replicas: 0,
      replicaRequirements: { resourceRequest: { cpu: '1' } },
      rescheduleTriggeredAt: '2026-01-02T00:00:00Z',
      clusters: [{ name: 'm1', replicas: 2 }],
    });
    const status = { lastScheduledTime: '2026-01-01T00:00:00Z' };
    const outcome = decide(spec, [cluster('m1'), cluster('m2')], status);
    assert.deepEqual(outcome.kind === 'placed' && outcome.clusters, []);
  });

  it('a cluster that fails several filters always tells the same reason', () => {
    const taints = [{ key: 'k', effect: 'NoSchedule' }];
    const tainted = { ...cluster('m1', { spec: { taints } }), status: {} } as MemberCluster;
    const messages = Array.from({ length: 20 }, () => {
      const outcome = decide(binding({}), [tainted]);
      return outcome.kind === 'refused' ? outcome.message : '';
    });
    assert.deepEqual(
      [...new Set(messages)],
      ['0/1 clusters are available: 1 cluster(s) did not have the API resource.'],
    );
  });

  it('a spread by label groups clusters instead of being ignored', () => {
    const spreadConstraints = [
      { spreadByLabel: 'rack', minGroups: 2, maxGroups: 2 },
      { spreadByField: 'cluster', minGroups: 2, maxGroups: 2 },
    ];
    const clusters = [
      cluster('m1', { labels: { rack: 'a' } }),
      cluster('m2', { labels: { rack: 'a' } }),
      cluster('m3', { labels: { rack: 'b' } }),
      cluster('m4'),
    ];
    const spec = binding({ placement: { spreadConstraints, replicaScheduling: divided } });
    const outcome = decide(spec, clusters);
    assert.deepEqual(outcome.kind === 'placed' && outcome.clusters.map(({ name }) => name), [
      'm1',
      'm3',
    ]);
  });

  it('the room of several templates is counted in one unit, whatever suffix says it', () => {
    const component = (memory: string) => ({
      name: `c-${memory}`,
      replicas: 1,
      replicaRequirements: { resourceRequest: { memory } },
    });
    const place = (memory: string) =>
      decide(
        binding({
          replicas: 0,
          components: [component(memory), component('1Mi')],
          placement: {
            spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }],
            replicaScheduling: divided,
          },
        }),
        [cluster('m1', { summary: { allocatable: { memory: '2Gi', pods: '110' } } })],
      ).kind;
    assert.equal(place('1G'), 'placed');
    assert.equal(place('1000Mi'), 'placed');
    assert.equal(place('3G'), 'refused');
  });
});
