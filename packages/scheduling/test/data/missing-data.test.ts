import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carriedPlacement, type SourceClusters } from '../../src/data/carried-placement.ts';
import { carryData } from '../../src/data/carry-data.ts';
import type { ClaimData } from '../../src/data/claim-data.ts';
import { clusterFacts } from '../../src/placement/scheduler/cluster-facts.ts';
import { schedule } from '../../src/placement/scheduler/schedule.ts';
import { standardRules } from '../../src/placement/scheduler/standard-rules.ts';
import { bindingOf } from '../placement/binding-of.ts';
import { claimOf, sourceOf } from './claims.ts';

const CLUSTERS = ['a', 'b', 'c'].map((name) =>
  clusterFacts({ metadata: { name }, spec: { syncMode: 'Push' } } as never),
);
const PLACES: { readonly [data: string]: readonly string[] } = {
  orders: ['a'],
  sales: ['b'],
};

const claims: readonly ClaimData[] = Object.entries(PLACES).map(([name, clusters]) => ({
  claim: claimOf(name, {}, name),
  source: sourceOf(name, { name }),
  clusters,
}));

const refusals = (clustersOf?: SourceClusters): readonly string[] => {
  const { metadata, spec } = carryData(bindingOf({ placement: {} }), undefined, claims);
  const world = { clusters: CLUSTERS, rules: standardRules };
  const { outcome } = schedule(spec, {}, world, carriedPlacement(metadata, clustersOf));
  return outcome.reasoning.refused
    .filter(({ filter }) => filter === 'DataLocality')
    .map(({ cluster, message }) => `${cluster}: ${message.replace(/.*: /, '')}`);
};

const BOTH = 'hive table orders, hive table sales';

test('who explains a decision tells each cluster which of the data it lacks', () => {
  const expected = ['a: hive table sales', 'b: hive table orders', `c: ${BOTH}`];
  assert.deepEqual(
    refusals((source) => PLACES[source]),
    expected,
  );
});

test('where the data is cannot be read by everybody: then all of it is named', () => {
  assert.deepEqual(
    refusals(() => undefined),
    [`a: ${BOTH}`, `b: ${BOTH}`, `c: ${BOTH}`],
  );
  assert.deepEqual(refusals(), [`a: ${BOTH}`, `b: ${BOTH}`, `c: ${BOTH}`]);
});
