import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { RecentDecisions } from '@perigee/scheduling/placement/scheduler/recent-decisions';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';

const facts = (name: string, cpu: string) =>
  clusterFacts({
    metadata: { name },
    spec: { syncMode: 'Push' },
    status: {
      apiEnablements: [{ groupVersion: 'apps/v1', resources: [{ name: 'd', kind: 'Deployment' }] }],
      resourceSummary: { allocatable: { cpu, pods: '100' } },
    },
  } as never);

const specOf = (name: string, replicas: number): BindingSpec => ({
  resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name },
  replicas,
  replicaRequirements: { resourceRequest: { cpu: '1' } },
  placement: {
    replicaScheduling: {
      replicaSchedulingType: 'Divided',
      replicaDivisionPreference: 'Weighted',
      weightPreference: { dynamicWeight: 'AvailableReplicas' },
    },
  },
  conflictResolution: 'Abort',
});

const world = (...cpus: readonly string[]) => ({
  clusters: cpus.map((cpu, at) => facts(`m${at}`, cpu)),
  rules: standardRules,
});

describe('recent decisions', () => {
  it('hold for bindings that are alike', () => {
    const decisions = new RecentDecisions();
    const two = world('10', '30');
    const first = decisions.decide(specOf('a', 8), {}, two);
    assert.equal(decisions.decide(specOf('b', 8), {}, two), first);
    assert.deepEqual(first, schedule(specOf('b', 8), {}, two));
  });

  it('do not hold for others, for other clusters, or by rules that look elsewhere', () => {
    const decisions = new RecentDecisions();
    const two = world('10', '30');
    decisions.decide(specOf('a', 8), {}, two);
    const more = decisions.decide(specOf('a', 9), {}, two);
    assert.deepEqual(more, schedule(specOf('a', 9), {}, two));
    const changed = world('30', '10');
    const moved = decisions.decide(specOf('a', 8), {}, changed);
    assert.deepEqual(moved, schedule(specOf('a', 8), {}, changed));
    const { areRepeatable: _, ...elsewhere } = standardRules;
    const looked: string[] = [];
    const filter = {
      name: 'Named',
      reasons: [],
      prepare: ({ spec }: { readonly spec: BindingSpec }) => {
        looked.push(spec.resource.name);
        return undefined;
      },
    };
    const rules = { ...elsewhere, filters: [...elsewhere.filters, filter] };
    for (const name of ['a', 'b']) decisions.decide(specOf(name, 8), {}, { ...two, rules });
    assert.deepEqual(looked, ['a', 'b']);
  });

  it('are forgotten before they are too many', () => {
    const decisions = new RecentDecisions();
    const one = world('1000');
    const first = decisions.decide(specOf('a', 1), {}, one);
    for (let replicas = 2; replicas < 300; replicas += 1) {
      decisions.decide(specOf('a', replicas), {}, one);
    }
    const again = decisions.decide(specOf('a', 1), {}, one);
    assert.notEqual(again, first);
    assert.deepEqual(again, first);
  });
});
