import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import {
  type ClusterFacts,
  clusterFacts,
} from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import fc from 'fast-check';

/** The rules that tell of no short cut: every cluster is looked at. */
const SCANNING = {
  ...standardRules,
  filters: standardRules.filters.map(({ keepsToAffinities: _, ...filter }) => filter),
};

const word = (prefix: string, most: number) =>
  fc.integer({ min: 0, max: most }).map((at) => `${prefix}${at}`);

const cluster = fc.record({
  labels: fc.dictionary(word('key', 2), word('value', 2)),
  region: word('region', 2),
  provider: word('provider', 1),
  zones: fc.array(word('zone', 2), { maxLength: 2 }),
  isTainted: fc.boolean(),
  hasApi: fc.boolean(),
});

const labelSelector = fc.record(
  {
    matchLabels: fc.dictionary(word('key', 3), word('value', 3), { maxKeys: 2 }),
    matchExpressions: fc.array(
      fc.record({
        key: word('key', 3),
        operator: fc.constantFrom('In', 'NotIn', 'Exists', 'Odd'),
        values: fc.array(word('value', 3), { maxLength: 2 }),
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);

const fieldSelector = fc.record({
  matchExpressions: fc.array(
    fc.record({
      key: fc.constantFrom('provider', 'region', 'zone'),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.array(fc.oneof(word('region', 3), word('provider', 2), word('zone', 2)), {
        maxLength: 3,
      }),
    }),
    { maxLength: 2 },
  ),
});

const affinity = fc.record(
  {
    clusterNames: fc.array(word('m', 15), { maxLength: 4 }),
    exclude: fc.array(word('m', 12), { maxLength: 2 }),
    labelSelector,
    fieldSelector,
  },
  { requiredKeys: [] },
) as unknown as fc.Arbitrary<ClusterAffinity>;

const term = fc
  .tuple(affinity, fc.array(affinity, { maxLength: 2 }), word('term', 9))
  .map(([first, overflowAffinities, affinityName]) => ({
    ...first,
    affinityName,
    ...(overflowAffinities.length === 0
      ? {}
      : { overflowAffinities: overflowAffinities.map((one) => ({ affinityName: 'o', ...one })) }),
  }));

const placement = fc.oneof(
  affinity.map((clusterAffinity) => ({ clusterAffinity })),
  fc
    .array(term, { minLength: 1, maxLength: 3 })
    .map((clusterAffinities) => ({ clusterAffinities })),
);

type Drawn = typeof cluster extends fc.Arbitrary<infer T> ? T : never;

const factsOf = (drawn: readonly Drawn[]): readonly ClusterFacts[] =>
  drawn.map(({ labels, region, provider, zones, isTainted, hasApi }, at) =>
    clusterFacts({
      metadata: { name: `m${at}`, labels },
      spec: {
        syncMode: 'Push',
        region,
        provider,
        zones,
        ...(isTainted ? { taints: [{ key: 'lost', effect: 'NoSchedule' }] } : {}),
      },
      status: {
        apiEnablements: hasApi
          ? [{ groupVersion: 'apps/v1', resources: [{ name: 'd', kind: 'Deployment' }] }]
          : [],
        resourceSummary: { allocatable: { cpu: `${at + 1}`, pods: '100' } },
      },
    } as never),
  );

const specOf = (placed: object, data: object = {}): BindingSpec =>
  ({
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
    replicas: 5,
    replicaRequirements: { resourceRequest: { cpu: '1' } },
    placement: {
      ...placed,
      replicaScheduling: {
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Weighted',
        weightPreference: { dynamicWeight: 'AvailableReplicas' },
      },
    },
    conflictResolution: 'Abort',
    ...data,
  }) as BindingSpec;

/** All that a decision says, read once. */
const told = (spec: BindingSpec, clusters: readonly ClusterFacts[], rules = standardRules) =>
  JSON.parse(JSON.stringify(schedule(spec, {}, { clusters, rules })));

describe('the index of clusters', () => {
  it('changes no decision, and nothing that is said of it', () => {
    fc.assert(
      fc.property(
        fc.array(cluster, { maxLength: 12 }),
        fc.array(placement, { minLength: 1, maxLength: 4 }),
        (drawn, placements) => {
          const clusters = factsOf(drawn);
          for (const one of placements) {
            const spec = specOf(one);
            assert.deepEqual(told(spec, clusters), told(spec, clusters, SCANNING));
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('follows the clusters as they change', () => {
    fc.assert(
      fc.property(
        fc.array(cluster, { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(fc.nat(7), cluster), { maxLength: 5 }),
        placement,
        (drawn, changes, one) => {
          const spec = specOf(one);
          let clusters = factsOf(drawn);
          told(spec, clusters);
          for (const [at, changed] of changes) {
            const place = at % clusters.length;
            const [facts] = factsOf([changed]);
            const name = `m${place}`;
            clusters = clusters.map((known, where) =>
              where === place ? { ...(facts as ClusterFacts), name } : known,
            );
            assert.deepEqual(told(spec, clusters), told(spec, clusters, SCANNING));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('looks at no cluster that neither name nor label means', () => {
    const seen = new Set<string>();
    const watching = {
      ...standardRules,
      filters: [
        {
          name: 'Watching',
          reasons: [],
          prepare:
            () =>
            ({ name }: ClusterFacts) =>
              void seen.add(name),
        },
        ...standardRules.filters,
      ],
    };
    const clusters = factsOf(
      Array.from({ length: 1000 }, (_, at) => ({
        labels: { rack: `${at % 100}` },
        region: 'r',
        provider: 'p',
        zones: [],
        isTainted: false,
        hasApi: true,
      })),
    );
    const byName = { clusterAffinity: { clusterNames: ['m7', 'm5', 'nobody'] } };
    assert.equal(
      schedule(specOf(byName), {}, { clusters, rules: watching }).outcome.kind,
      'placed',
    );
    assert.deepEqual([...seen], ['m5', 'm7']);
    seen.clear();
    const byLabel = { clusterAffinity: { labelSelector: { matchLabels: { rack: '17' } } } };
    schedule(specOf(byLabel), {}, { clusters, rules: watching });
    assert.equal(seen.size, 10);
  });
});
