import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import fc from 'fast-check';
import { affinityPredicate } from '../../src/clusters/cluster-affinity.ts';
import { carryData, preflight } from '../../src/data/carry-data.ts';
import { type ClaimData, claimData } from '../../src/data/claim-data.ts';
import { combinePlacement, inAll, NO_CLUSTER } from '../../src/data/combine-placement.ts';
import { claimKey, claimsOf } from '../../src/data/concerned-work.ts';
import {
  BASE_PLACEMENT,
  CLAIMED_DATA,
  HELD_FOR,
  PLACEMENT_INJECTED,
} from '../../src/data/data-marks.ts';
import { bindingOf } from '../placement/binding-of.ts';
import { claimOf, clusterOf, clustersNamed, lacking, sourceOf } from './claims.ts';

const NAMES = ['a', 'b', 'c', 'd'];

describe('a placement within the data', () => {
  const cases: readonly [string, Placement, readonly string[], Placement][] = [
    [
      'allows only the clusters with the data',
      {},
      ['a', 'b'],
      { clusterAffinity: { clusterNames: ['a', 'b'] } },
    ],
    [
      'is the intersection with names, in the order of the policy',
      { clusterAffinity: { clusterNames: ['c', 'b', 'a'] } },
      ['a', 'c', 'd'],
      { clusterAffinity: { clusterNames: ['c', 'a'] } },
    ],
    [
      'keeps every other condition, and what a user excludes (upstream, 7: an exclusion like ours is lost)',
      { clusterAffinity: { labelSelector: { matchLabels: { z: '1' } }, exclude: ['a'] } },
      ['a', 'b'],
      {
        clusterAffinity: {
          labelSelector: { matchLabels: { z: '1' } },
          exclude: ['a'],
          clusterNames: ['a', 'b'],
        },
      },
    ],
    [
      'is impossible when nothing is left (upstream, 9: an empty locality means anywhere)',
      { clusterAffinity: { clusterNames: ['c'] } },
      ['a'],
      { clusterAffinity: { clusterNames: [NO_CLUSTER] } },
    ],
    [
      'is impossible when the data is nowhere',
      { clusterAffinity: { clusterNames: [] } },
      [],
      { clusterAffinity: { clusterNames: [NO_CLUSTER] } },
    ],
    [
      'holds in every term and in its overflow (upstream, 8: terms are put out of force)',
      {
        clusterAffinities: [
          {
            affinityName: 'own',
            clusterNames: ['a', 'b'],
            overflowAffinities: [{ affinityName: 'o', clusterNames: ['c'] }, { affinityName: 'p' }],
          },
          { affinityName: 'cloud' },
        ],
      },
      ['a', 'd'],
      {
        clusterAffinities: [
          {
            affinityName: 'own',
            clusterNames: ['a'],
            overflowAffinities: [
              { affinityName: 'o', clusterNames: [NO_CLUSTER] },
              { affinityName: 'p', clusterNames: ['a', 'd'] },
            ],
          },
          { affinityName: 'cloud', clusterNames: ['a', 'd'] },
        ],
      },
    ],
    [
      'holds when the list of terms is empty',
      { clusterAffinities: [] },
      ['a'],
      { clusterAffinity: { clusterNames: ['a'] } },
    ],
  ];
  for (const [name, placement, allowed, expected] of cases) {
    it(name, () => assert.deepEqual(combinePlacement(placement, allowed), expected));
  }

  it('means exactly the clusters that both mean, whatever the policy says', () => {
    const some = fc.subarray(NAMES);
    const affinity = fc.record(
      {
        clusterNames: some,
        exclude: some,
        labelSelector: fc.constantFrom({ matchLabels: { z: '1' } }, {}),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<ClusterAffinity>;
    const term = fc.record(
      {
        affinityName: fc.constant('t'),
        overflowAffinities: fc.array(affinity, { maxLength: 2 }),
        rest: affinity,
      },
      { requiredKeys: ['affinityName', 'rest'] },
    );
    const terms = fc.array(
      term.map(({ rest, ...own }) => ({ ...rest, ...own })),
      { maxLength: 3 },
    );
    const placements = fc.oneof(
      fc.constant({}),
      affinity.map((clusterAffinity) => ({ clusterAffinity })),
      terms.map((clusterAffinities) => ({ clusterAffinities })),
    ) as fc.Arbitrary<Placement>;
    const groups = ({
      clusterAffinity,
      clusterAffinities = [],
    }: Placement): readonly ClusterAffinity[] =>
      clusterAffinity !== undefined || clusterAffinities.length === 0
        ? [clusterAffinity ?? {}]
        : clusterAffinities.flatMap((one) => [one, ...(one.overflowAffinities ?? [])]);
    fc.assert(
      fc.property(placements, fc.array(some, { minLength: 1, maxLength: 3 }), (placement, sets) => {
        const allowed = inAll(sets);
        const [before, after] = [groups(placement), groups(combinePlacement(placement, allowed))];
        assert.equal(after.length, before.length);
        for (const [at, group] of before.entries()) {
          for (const name of NAMES) {
            const cluster = clusterOf(name, { labels: name < 'c' ? { z: '1' } : {} });
            assert.equal(
              affinityPredicate(after[at] ?? {})(cluster),
              affinityPredicate(group)(cluster) && sets.every((set) => set.includes(name)),
            );
          }
        }
      }),
    );
  });
});

const at = (name: string, ...clusterNames: string[]) =>
  sourceOf(name, { locality: { clusterNames } });
const settled = (name: string, clusters: readonly string[], spec = {}): ClaimData => ({
  claim: claimOf(name, spec),
  source: at(`${name}-source`, ...clusters),
  clusters,
});
const waiting = (name: string, spec = {}): ClaimData => ({
  claim: claimOf(name, spec),
  clusters: [],
});
const policy: Placement = { clusterAffinity: { clusterNames: ['a', 'b'] } };
const namesIn = ({ spec }: ReturnType<typeof bindingOf>) =>
  spec.placement?.clusterAffinity?.clusterNames;

describe('a binding that is written', () => {
  it('passes untouched when no claim concerns it', () => {
    const draft = bindingOf({ placement: policy });
    assert.equal(carryData(draft, undefined, []), draft);
    assert.equal(carryData(draft, draft, []), draft);
  });

  it('carries the data of all of its claims (upstream, 3: the last claim wins)', () => {
    const made = carryData(bindingOf({ placement: {} }), undefined, [
      settled('two', ['b', 'c']),
      settled('one', ['a', 'b']),
    ]);
    assert.deepEqual(namesIn(made), ['b']);
    const { annotations = {} } = made.metadata;
    assert.equal(annotations[PLACEMENT_INJECTED], 'true');
    assert.equal(annotations[BASE_PLACEMENT], '{}');
    assert.deepEqual(JSON.parse(annotations[CLAIMED_DATA] ?? ''), [
      { claim: 'one', data: 'hive table db.sales', source: 'one-source' },
      { claim: 'two', data: 'hive table db.sales', source: 'two-source' },
    ]);
    assert.equal(made.spec.suspension, undefined);
  });

  it('is the very same when it carries the data already, so that nothing is disturbed', () => {
    const claims = [settled('one', ['a'])];
    const made = carryData(bindingOf({ placement: policy }), undefined, claims);
    assert.equal(carryData(made, made, claims), made);
  });

  it('keeps its data when a detector writes the placement of the policy again', () => {
    const claims = [settled('one', ['a', 'c'])];
    const made = carryData(bindingOf({ placement: policy }), undefined, claims);
    const rewritten = { ...made, spec: { ...made.spec, placement: policy } };
    assert.deepEqual(carryData(rewritten, made, claims), made);
  });

  it('follows another placement of the policy', () => {
    const claims = [settled('one', ['a', 'c'])];
    const made = carryData(bindingOf({ placement: policy }), undefined, claims);
    const wider = { ...made, spec: { ...made.spec, placement: {} } };
    assert.deepEqual(namesIn(carryData(wider, made, claims)), ['a', 'c']);
  });

  it('does not take for the policy’s what it has combined itself, when it comes by a second time', () => {
    const made = carryData(bindingOf({ placement: policy }), undefined, [
      settled('one', ['a', 'c']),
    ]);
    const grown = [settled('one', ['a', 'b', 'c'])];
    const once = carryData(made, made, grown);
    assert.deepEqual(namesIn(once), ['a', 'b']);
    assert.equal(carryData(once, made, grown), once);
    const forged = bindingOf(
      { placement: policy },
      {},
      { [BASE_PLACEMENT]: '{"clusterAffinities":7}' },
    );
    assert.deepEqual(namesIn(carryData(forged, undefined, grown)), ['a', 'b']);
  });

  it('knows a policy that wants just the combined placement, by the annotation that is taken away', () => {
    const made = carryData(bindingOf({ placement: policy }), undefined, [
      settled('one', ['a', 'c']),
    ]);
    const { [BASE_PLACEMENT]: _, ...annotations } = made.metadata.annotations ?? {};
    const told = { ...made, metadata: { ...made.metadata, annotations } };
    const grown = carryData(told, made, [settled('one', ['a', 'b', 'c'])]);
    assert.deepEqual(namesIn(grown), ['a']);
  });

  it('is the policy’s alone again when its last claim is gone (upstream, 11: it stays constrained for ever)', () => {
    const draft = bindingOf({ placement: policy });
    const made = carryData(draft, undefined, [settled('one', ['a'])]);
    assert.deepEqual(carryData(made, made, []), draft);
  });

  it('is held in the same write while a claim waits, and can go nowhere', () => {
    const made = carryData(bindingOf({ placement: policy }), undefined, [
      settled('one', ['a']),
      waiting('two'),
    ]);
    assert.deepEqual(namesIn(made), [NO_CLUSTER]);
    assert.deepEqual(made.spec.suspension, { scheduling: true });
    assert.equal(made.metadata.annotations?.[HELD_FOR], 'data');
    assert.equal(made.metadata.annotations?.[PLACEMENT_INJECTED], undefined);
  });

  it('keeps the rest of its suspension, and leaves that of a user alone', () => {
    const dispatching = bindingOf({ suspension: { dispatching: true } });
    assert.deepEqual(carryData(dispatching, undefined, [waiting('one')]).spec.suspension, {
      dispatching: true,
      scheduling: true,
    });
    const users = carryData(bindingOf({ suspension: { scheduling: true } }), undefined, [
      waiting('one'),
    ]);
    assert.equal(users.metadata.annotations?.[HELD_FOR], undefined);
  });

  it('has no data when it only goes along with other work', () => {
    const { placement: _, ...spec } = bindingOf().spec;
    const attached = { ...bindingOf(), spec };
    assert.equal(carryData(attached, undefined, [settled('one', ['a'])]), attached);
  });

  const running = { clusters: [{ name: 'd', replicas: 2 }], placement: {} };
  const job = {
    ...running,
    resource: { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'web' },
  };
  const kept: readonly [string, object, object, readonly string[]][] = [
    ['is moved to the data, when it runs elsewhere', running, {}, ['a']],
    [
      'may stay where it runs, when the claim says Keep',
      running,
      { onRunning: 'Keep' },
      ['a', 'd'],
    ],
    ['may stay where it has started, when it runs to completion', job, {}, ['a', 'd']],
    ['is moved although it has started, when that is asked for', job, { onRunning: 'Move' }, ['a']],
  ];
  for (const [name, spec, claim, expected] of kept) {
    it(name, () => {
      const made = carryData(bindingOf(spec), bindingOf(spec), [settled('one', ['a'], claim)]);
      assert.deepEqual(namesIn(made), expected);
      const unsettled = carryData(bindingOf(spec), bindingOf(spec), [waiting('one', claim)]);
      assert.deepEqual(namesIn(unsettled), expected.includes('d') ? ['d'] : [NO_CLUSTER]);
    });
  }
});

describe('before it is let through, a binding', () => {
  it('carries the data of all of its claims', () => {
    const claims = [settled('one', ['a'])];
    const plain = bindingOf({ placement: policy });
    const made = carryData(plain, undefined, claims);
    const found = (binding: typeof made, of: readonly ClaimData[]) => {
      const { isReady, waits } = preflight(binding, of);
      return [isReady, ...waits.map(({ claim, data }) => `${claim}: ${data}`)];
    };
    assert.deepEqual(found(made, claims), [true]);
    assert.deepEqual(found(plain, []), [true]);
    assert.deepEqual(found(plain, claims), [false]);
    assert.deepEqual(found(made, [settled('one', ['b'])]), [false]);
    assert.deepEqual(found(made, []), [false]);
    assert.deepEqual(found(made, [...claims, waiting('two')]), [false, 'two: hive table db.sales']);
  });
});

describe('the data of a claim', () => {
  const clusters = clustersNamed('a', 'b');
  const among = (...sources: ReturnType<typeof sourceOf>[]) => ({
    source: (name: string) => sources.find(({ metadata }) => metadata.name === name),
    clusters: () => clusters,
  });
  it('is settled only while the source that it is bound to is there and fits', () => {
    const bound = claimOf('c', {}, 's');
    assert.deepEqual(claimData(bound, among(at('s', 'a', 'gone'))).clusters, ['a']);
    assert.equal(claimData(bound, among()).source, undefined);
    assert.equal(claimData(bound, among(sourceOf('s', { name: 'other' }))).source, undefined);
    assert.equal(claimData(claimOf('c'), among(at('s', 'a'))).source, undefined);
  });
});

describe('a claim concerns', () => {
  const selecting = (name: string, workloadSelector: object) =>
    lacking(claimOf(name, { workloadSelector }), 'workload');
  const all = [
    claimOf('named'),
    claimOf('other', { workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } }),
    selecting('every', {}),
    selecting('by-label', { matchLabels: { app: 'web' } }),
    selecting('by-labels', { matchLabels: { app: 'web', tier: 'front' } }),
    selecting('by-expression', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }),
    selecting('unreadable', { matchLabels: { '!': '?' } }),
    { ...claimOf('foreign'), metadata: { ...claimOf('foreign').metadata, namespace: 'else' } },
  ];
  const find = {
    byKey: (key: string) => all.filter((claim) => claimKey(claim) === key),
    byName: (namespace: string, name: string) =>
      all.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  };
  const work = bindingOf({ replicas: 2 });
  const concerning = (binding: ReturnType<typeof bindingOf>, labels?: { [key: string]: string }) =>
    claimsOf({ binding, labels }, find)
      .map(({ metadata }) => metadata.name)
      .sort();

  it('the workload that it names and those that it selects, in its own namespace only', () => {
    assert.deepEqual(concerning(work, {}), ['every', 'named']);
    assert.deepEqual(concerning(work, { app: 'web' }), [
      'by-expression',
      'by-label',
      'every',
      'named',
    ]);
    assert.deepEqual(concerning(work, { app: 'web', tier: 'front' }), [
      'by-expression',
      'by-label',
      'by-labels',
      'every',
      'named',
    ]);
  });

  it('the workload in whatever version of its API, and no other of the same name', () => {
    const as = (apiVersion: string, kind: string) =>
      bindingOf({ resource: { apiVersion, kind, namespace: 'default', name: 'web' } });
    assert.deepEqual(concerning(as('apps/v1beta1', 'Deployment'), {}), ['every', 'named']);
    assert.deepEqual(concerning(as('example.org/v1', 'Deployment'), {}), []);
  });

  it('what runs pods, by a selector, and not the ConfigMaps beside it', () => {
    const as = (apiVersion: string, kind: string) =>
      bindingOf({ resource: { apiVersion, kind, namespace: 'default', name: 'x' } });
    assert.deepEqual(concerning(as('v1', 'ConfigMap'), { app: 'web' }), []);
    assert.deepEqual(concerning(as('v1', 'Service'), { app: 'web' }), []);
    const kinds = [
      'apps/v1 DaemonSet',
      'batch/v1 CronJob',
      'v1 Pod',
      'batch.volcano.sh/v1alpha1 Job',
      'ray.io/v1 RayJob',
    ];
    for (const [apiVersion = '', kind = ''] of kinds.map((one) => one.split(' '))) {
      assert.deepEqual(
        concerning(as(apiVersion, kind), {}),
        ['every'],
        `${kind}, whoever wrote its binding`,
      );
    }
    const counted = as('example.org/v1', 'Own');
    assert.deepEqual(concerning({ ...counted, spec: { ...counted.spec, replicas: 0 } }, {}), [
      'every',
    ]);
  });

  it('nothing that has no namespace', () => {
    const wide = bindingOf({
      replicas: 1,
      resource: { apiVersion: 'x/v1', kind: 'Wide', name: 'web' },
    });
    assert.deepEqual(concerning(wide, { app: 'web' }), []);
  });

  it('what it concerned before, when the workload itself can no longer be read', () => {
    const carried = { [CLAIMED_DATA]: JSON.stringify([{ claim: 'by-label', data: 'x' }, 7, null]) };
    assert.deepEqual(concerning(bindingOf({ replicas: 2 }, {}, carried)), ['by-label', 'named']);
  });
});
