import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { carriedPlacement } from '../../src/data/carried-placement.ts';
import { carryData, preflight } from '../../src/data/carry-data.ts';
import type { ClaimData } from '../../src/data/claim-data.ts';
import { BASE_PLACEMENT, HELD_FOR, PREFERRED_CLUSTERS } from '../../src/data/data-marks.ts';
import { clusterFacts } from '../../src/placement/scheduler/cluster-facts.ts';
import { schedule } from '../../src/placement/scheduler/schedule.ts';
import { standardRules } from '../../src/placement/scheduler/standard-rules.ts';
import { bindingOf } from '../placement/binding-of.ts';
import { claimOf, sourceOf } from './claims.ts';

const claim = (name: string, clusters: readonly string[], preference?: number): ClaimData => ({
  claim: claimOf(name, preference === undefined ? {} : { preference }),
  source: sourceOf(`${name}-source`),
  clusters,
});
const unsettled = (name: string, preference?: number): ClaimData => ({
  claim: claimOf(name, preference === undefined ? {} : { preference }),
  clusters: [],
});

const ONE: Placement = {
  spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }],
};

const cluster = (name: string): MemberCluster => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: {
    name,
    uid: name,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { syncMode: 'Push' },
  status: {
    apiEnablements: [
      { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
    ],
    conditions: [],
    resourceSummary: { allocatable: { cpu: '10', memory: '10Gi', pods: '10' } },
  } as never,
});
const world = {
  clusters: ['a', 'b', 'c'].map((name) => clusterFacts(cluster(name))),
  rules: standardRules,
};

const decide = (binding: ReturnType<typeof bindingOf>) =>
  schedule(binding.spec, binding.status ?? {}, world, carriedPlacement(binding.metadata)).outcome;

const chosen = (binding: ReturnType<typeof bindingOf>) => {
  const outcome = decide(binding);
  return outcome.kind === 'placed' ? outcome.clusters.map(({ name }) => name) : outcome.message;
};

describe('a claim with a preference', () => {
  const plain = bindingOf({ placement: ONE, replicas: 2, replicaRequirements: {} });

  it('leaves the placement as it is, and holds nothing', () => {
    const claims = [unsettled('wish', 50)];
    const made = carryData(plain, undefined, claims);
    assert.deepEqual(made.spec, plain.spec);
    assert.equal(made.metadata.annotations?.[HELD_FOR], undefined);
    assert.equal(made.metadata.annotations?.[BASE_PLACEMENT], undefined);
    assert.equal(carryData(made, made, claims), made);
    assert.deepEqual(preflight(made, claims), { isReady: true, waits: [] });
  });

  it('has work go where the data is, and elsewhere when that does not fit (upstream, 17: hard or not at all)', () => {
    assert.deepEqual(chosen(plain), ['a']);
    const made = carryData(plain, undefined, [claim('wish', ['c'], 1)]);
    assert.deepEqual(chosen(made), ['c']);
    assert.deepEqual(decide(made).reasoning.scores, { DataPreference: { a: 0, b: 0, c: 1 } });
    const elsewhere = { ...made.spec, placement: { ...ONE, clusterAffinity: { exclude: ['c'] } } };
    assert.deepEqual(chosen({ ...made, spec: elsewhere }), ['a']);
  });

  it('counts beside the other scores: work that runs moves only for more than the 100 of staying', () => {
    const running = { ...plain, spec: { ...plain.spec, clusters: [{ name: 'a', replicas: 2 }] } };
    const made = carryData(running, running, [claim('wish', ['b'], 100)]);
    assert.deepEqual(chosen(made), ['a']);
  });

  it('adds up with others, within the range of a score', () => {
    const claims = [claim('x', ['a', 'b'], 30), claim('y', ['b', 'c'], 50), claim('z', ['c'], 90)];
    const { annotations = {} } = carryData(plain, undefined, claims).metadata;
    assert.equal(annotations[PREFERRED_CLUSTERS], '{"a":30,"b":80,"c":100}');
  });

  it('works within claims that are none', () => {
    const made = carryData(plain, undefined, [
      claim('must', ['a', 'b']),
      claim('wish', ['b', 'c'], 5),
    ]);
    assert.deepEqual(made.spec.placement?.clusterAffinity?.clusterNames, ['a', 'b']);
    assert.deepEqual(chosen(made), ['b']);
    const waits = carryData(plain, undefined, [unsettled('must'), claim('wish', ['b'], 5)]);
    assert.equal(waits.metadata.annotations?.[HELD_FOR], 'data');
    assert.deepEqual(
      preflight(waits, [unsettled('must'), unsettled('wish', 5)]).waits.map((one) => one.claim),
      ['must'],
    );
  });

  it('leaves no trace when it goes, or becomes a must', () => {
    const made = carryData(plain, undefined, [claim('wish', ['b'], 5)]);
    assert.deepEqual(carryData(made, made, []), plain);
    const must = carryData(made, made, [claim('wish', ['b'])]);
    assert.equal(must.metadata.annotations?.[PREFERRED_CLUSTERS], undefined);
    assert.deepEqual(must.spec.placement?.clusterAffinity?.clusterNames, ['b']);
    assert.deepEqual(carryData(must, must, [claim('wish', ['b'], 5)]), made);
  });

  it('is absent unless used: the scores are Karmada’s', () => {
    assert.deepEqual(decide(plain).reasoning.scores, {});
  });
});
