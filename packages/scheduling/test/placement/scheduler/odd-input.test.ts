import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { desiredBinding } from '@perigee/scheduling/placement/binding/desired-binding';
import { RESERVED } from '@perigee/scheduling/placement/binding/queue-marks';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { decideOn } from '@perigee/scheduling/placement/scheduler/decide-on';
import { RecentDecisions } from '@perigee/scheduling/placement/scheduler/recent-decisions';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { deployment } from '../../../src/interpreter/native/apps.ts';

const cluster = (name: string, { metadata = {}, spec = {}, summary = {} } = {}): MemberCluster =>
  ({
    metadata: { name, ...metadata },
    spec,
    status: {
      apiEnablements: [
        { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
      ],
      resourceSummary: { allocatable: { cpu: '100', pods: '110' }, ...summary },
    },
  }) as never;

const placed = (spec: object, clusters: readonly MemberCluster[]) => {
  const binding = {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u' },
    replicas: 4,
    ...spec,
  } as never as BindingSpec;
  const world = { clusters: clusters.map(clusterFacts), rules: standardRules };
  const { outcome } = schedule(binding, {}, world);
  return outcome.kind === 'placed' ? outcome.clusters.map(({ name }) => name) : outcome;
};

const HUGE = 9_007_199_254_740_993n;

describe('a cluster that is known under another name', () => {
  const twin = cluster('twin', {
    metadata: { annotations: { 'globalscheduler.com/same-as': 'a' } },
  });
  const placement = { replicaScheduling: { replicaSchedulingType: 'Duplicated' } };

  it('gets no work', () => {
    assert.deepEqual(placed({ placement }, [cluster('a'), twin]), ['a']);
  });

  it('keeps the work that it has', () => {
    const clusters = [{ name: 'twin', replicas: 4 }];
    assert.deepEqual(placed({ placement, clusters }, [cluster('a'), twin]), ['twin', 'a']);
  });
});

describe('whole numbers of 64 bits', () => {
  it('may be weights', () => {
    const staticWeightList = [
      { targetCluster: { clusterNames: ['a'] }, weight: HUGE },
      { targetCluster: { clusterNames: ['b'] }, weight: 1 },
    ];
    const replicaScheduling = {
      replicaSchedulingType: 'Divided',
      replicaDivisionPreference: 'Weighted',
      weightPreference: { staticWeightList },
    };
    const found = placed({ placement: { replicaScheduling } }, [cluster('a'), cluster('b')]);
    assert.deepEqual(found, ['a']);
  });

  it('may limit groups', () => {
    const spreadConstraints = [{ spreadByField: 'cluster', minGroups: 1, maxGroups: HUGE }];
    const found = placed({ placement: { spreadConstraints } }, [cluster('a'), cluster('b')]);
    assert.deepEqual(found, ['a', 'b']);
  });

  it('may count nodes of a grade', () => {
    const resourceModels = [
      { grade: 0, ranges: [{ name: 'cpu', min: '0', max: '1' }] },
      { grade: 1, ranges: [{ name: 'cpu', min: '1', max: '9223372036854775807' }] },
    ];
    const allocatableModelings = [{ grade: 1, count: HUGE }];
    const many = cluster('a', { spec: { resourceModels }, summary: { allocatableModelings } });
    const replicaScheduling = {
      replicaSchedulingType: 'Divided',
      replicaDivisionPreference: 'Weighted',
      weightPreference: { dynamicWeight: 'AvailableReplicas' },
    };
    assert.deepEqual(placed({ placement: { replicaScheduling } }, [many]), ['a']);
  });
});

describe('a cluster that the binding names beside an eviction from it', () => {
  const placement = { replicaScheduling: { replicaSchedulingType: 'Duplicated' } };
  const clusters = [{ name: 'a', replicas: 4 }];
  const leaving = (reason: string, replicas?: number) => ({
    gracefulEvictionTasks: [{ fromCluster: 'a', reason, producer: 'somebody', replicas }],
  });
  const members = [cluster('a'), cluster('b')];

  it('gets nothing while somebody drives all of the work out, as in Karmada', () => {
    const spec = { placement, clusters, ...leaving('TaintUntolerated') };
    assert.deepEqual(placed(spec, members), ['b']);
  });

  it('stays in use while only some replicas leave, because the work was scheduled afresh', () => {
    const spec = { placement, clusters, ...leaving('Rescheduled', 1) };
    assert.deepEqual(placed(spec, members), ['a', 'b']);
  });
});

describe('a spread by a label that is named as something of JavaScript', () => {
  const placement = {
    replicaScheduling: { replicaSchedulingType: 'Duplicated' },
    spreadConstraints: [{ spreadByLabel: 'constructor', minGroups: 1, maxGroups: 1 }],
  };

  it('leaves out the clusters that have no such label', () => {
    const labelled = cluster('b', { metadata: { labels: { constructor: 'mine' } } });
    assert.deepEqual(placed({ placement }, [cluster('a'), labelled]), ['b']);
  });
});

describe('a cluster or a label with a name that every object inherits', () => {
  it('has no room reserved when others have', () => {
    const clusters = ['a', 'constructor'].map((name) => clusterFacts(cluster(name)));
    const binding = {
      metadata: { annotations: { [RESERVED]: JSON.stringify({ clusters: { a: 4 }, at: 1 }) } },
      spec: {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u' },
        replicas: 4,
        placement: { replicaScheduling: { replicaSchedulingType: 'Duplicated' } },
      },
    } as never as Binding;
    const world = { clusters, rules: standardRules };
    const { outcome } = decideOn(binding, world, new RecentDecisions());
    assert.deepEqual(outcome.kind === 'placed' && outcome.clusters, [{ name: 'a', replicas: 4 }]);
  });

  it('makes no group of what lacks the label', () => {
    const labelled = (labels: object) => {
      const template = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', labels },
      };
      const placement = { workloadAffinity: { affinity: { groupByLabelKey: 'constructor' } } };
      const policy = { metadata: { name: 'p' }, spec: { placement } };
      const { spec } = desiredBinding(template as never, policy as never, deployment, {
        bindingName: 'web-deployment',
      });
      return spec.workloadAffinityGroups;
    };
    assert.equal(labelled({ app: 'web' }), undefined);
    assert.deepEqual(labelled({ constructor: 'a' }), { affinityGroup: 'constructor=a' });
  });
});
