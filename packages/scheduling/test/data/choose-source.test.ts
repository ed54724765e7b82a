import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseSource } from '../../src/data/choose-source.ts';
import { neighbourKey, offeredKeys, wantedKey } from '../../src/data/data-keys.ts';
import { clustersOf, locatedCluster } from '../../src/data/locality.ts';
import { matchSource } from '../../src/data/match-source.ts';
import { claimOf, clusterOf, clustersNamed, lacking, sourceOf } from './claims.ts';

describe('a source fits a claim', () => {
  const unnamed = (spec = {}) => lacking(claimOf('c', spec), 'dataSourceName');
  const cases: readonly [string, Parameters<typeof matchSource>, string][] = [
    ['by the name of its data', [claimOf('c'), sourceOf('s')], 'data'],
    ['by the name of the object', [claimOf('c', { dataSourceName: 's' }), sourceOf('s')], 'object'],
    [
      'by the name of the object alone, whatever else was asked for',
      [
        claimOf('c', {
          dataSourceName: 's',
          system: 's3',
          attributesSelector: { matchLabels: { a: '1' } },
        }),
        sourceOf('s'),
      ],
      'object',
    ],
    [
      'by the name of its data, whatever the selector says',
      [claimOf('c', { attributesSelector: { matchLabels: { a: '1' } } }), sourceOf('s')],
      'data',
    ],
    [
      'not in another system',
      [claimOf('c', { system: 's3' }), sourceOf('s')],
      'its system is hive, not s3',
    ],
    [
      'not of another type',
      [claimOf('c', { dataSourceType: 'view' }), sourceOf('s')],
      'its type is table, not view',
    ],
    [
      'not other data',
      [claimOf('c', { dataSourceName: 'db.x' }), sourceOf('s')],
      'its data is db.sales, not db.x',
    ],
    ['by system and type, when no name is given', [unnamed(), sourceOf('s')], 'data'],
    [
      'with all attributes that are asked for',
      [
        claimOf('c', { attributes: { f: 'orc' } }),
        sourceOf('s', { attributes: { f: 'orc', g: '1' } }),
      ],
      'data',
    ],
    [
      'not with another value',
      [claimOf('c', { attributes: { f: 'orc' } }), sourceOf('s', { attributes: { f: 'csv' } })],
      'its f is csv, not orc',
    ],
    [
      'not without the attribute',
      [claimOf('c', { attributes: { f: 'orc' } }), sourceOf('s')],
      'it has no f, not orc',
    ],
    [
      'when both have no attributes, however that is written (upstream, 14: nil and {} differ)',
      [claimOf('c', { attributes: {} }), sourceOf('s')],
      'data',
    ],
    [
      'by a selector of attributes, whose values need not be labels',
      [
        unnamed({ attributesSelector: { matchLabels: { at: 's3://x/y' } } }),
        sourceOf('s', { attributes: { at: 's3://x/y' } }),
      ],
      'data',
    ],
    [
      'by expressions',
      [
        unnamed({
          attributesSelector: {
            matchExpressions: [
              { key: 'f', operator: 'In', values: ['orc', 'parquet'] },
              { key: 'old', operator: 'DoesNotExist' },
              { key: 'g', operator: 'Exists' },
              { key: 'f', operator: 'NotIn', values: ['csv'] },
            ],
          },
        }),
        sourceOf('s', { attributes: { f: 'orc', g: '' } }),
      ],
      'data',
    ],
    [
      'not by an attribute that is called like what every object of the language has',
      [claimOf('c', { attributes: { constructor: 'orc' } }), sourceOf('s', { attributes: {} })],
      'it has no constructor, not orc',
    ],
    [
      'not while it is being deleted',
      [claimOf('c'), sourceOf('s', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      'it is being deleted',
    ],
  ];
  for (const [name, [claim, source], expected] of cases) {
    it(name, () => {
      const fit = matchSource(claim, source);
      assert.equal(fit.fits ? fit.by : fit.why, expected);
      const isNear =
        claim.spec.system === source.spec.system && claim.spec.dataSourceType === source.spec.type;
      assert.equal(offeredKeys(source).includes(neighbourKey(claim)), isNear);
      if (fit.fits) assert.ok(offeredKeys(source).includes(wantedKey(claim)), 'found by its key');
    });
  }
});

describe('among several sources that fit', () => {
  const clusters = clustersNamed('a', 'b', 'c');
  const at = (...clusterNames: string[]) => ({ locality: { clusterNames } });
  const chosen = (claim = claimOf('c'), ...sources: ReturnType<typeof sourceOf>[]) =>
    chooseSource(claim, sources, clusters).source?.metadata.name;

  it('takes the one in most ready clusters', () => {
    assert.equal(chosen(claimOf('c'), sourceOf('x', at('a')), sourceOf('y', at('b', 'c'))), 'y');
    const sick = new Map([...clusters, ['c', clusterOf('c', { isReady: false })]] as const);
    const both = [sourceOf('x', at('a', 'b')), sourceOf('w', at('c', 'gone', 'lost'))];
    assert.equal(chooseSource(claimOf('c'), both, sick).source?.metadata.name, 'x');
  });

  it('then the first by name, in whatever order they come', () => {
    assert.equal(chosen(claimOf('c'), sourceOf('y', at('b')), sourceOf('x', at('a'))), 'x');
  });

  it('takes the named data before an object of that name', () => {
    const object = sourceOf('db.sales', { name: 'other', ...at('a', 'b', 'c') });
    assert.equal(chosen(claimOf('c'), object, sourceOf('x', at('a'))), 'x');
    assert.equal(chosen(claimOf('c'), object), 'db.sales');
  });

  it('stays with the one it has while that fits', () => {
    const sources = [sourceOf('x', at('a')), sourceOf('y', at('a', 'b', 'c'))];
    assert.equal(chosen(claimOf('c', {}, 'x'), ...sources), 'x');
    assert.equal(chosen(claimOf('c', {}, 'gone'), ...sources), 'y');
    const other = sourceOf('x', { ...at('a'), name: 'else' });
    assert.equal(chosen(claimOf('c', {}, 'x'), other, sourceOf('y')), 'y');
  });

  it('says for what it waits, and which came closest, at most three (upstream, 18: no reason at all)', () => {
    const near = ['n4', 'n3', 'n2', 'n1'].map((name) =>
      sourceOf(name, { attributes: { f: 'csv' } }),
    );
    const far = sourceOf('far', { system: 's3', type: 'bucket' });
    const choice = chooseSource(
      claimOf('c', { attributes: { f: 'orc' } }),
      [far, ...near],
      clusters,
    );
    assert.equal(
      'message' in choice && choice.message,
      'no DataSource offers hive table db.sales with f=orc; the closest are ' +
        'n1 (hive table db.sales): its f is csv, not orc; ' +
        'n2 (hive table db.sales): its f is csv, not orc; ' +
        'n3 (hive table db.sales): its f is csv, not orc',
    );
  });
});

describe('a locality gives', () => {
  it('clusters by their labels and fields, and by whether they are ready', () => {
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'ClusterReady',
      message: '',
      lastTransitionTime: '',
    } as const;
    const cluster = {
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      metadata: {
        name: 'a',
        uid: 'u',
        resourceVersion: '1',
        creationTimestamp: '',
        labels: { l: '1' },
      },
      spec: { syncMode: 'Push', provider: 'p', region: 'r', zones: ['z'] },
      status: { conditions: [ready] },
    } as const;
    const facts = { labels: { l: '1' }, provider: 'p', region: 'r', zones: ['z'] };
    assert.deepEqual(locatedCluster(cluster as never), clusterOf('a', facts));
  });

  const clusters = new Map(
    [
      clusterOf('a', { labels: { zone: 'eu' } }),
      clusterOf('b', { labels: { zone: 'us' }, region: 'r1' }),
      clusterOf('c', { labels: { zone: 'eu' } }),
    ].map((one) => [one.name, one]),
  );
  const cases: readonly [string, Parameters<typeof clustersOf>[0], readonly string[]][] = [
    [
      'the named clusters that there are, in order',
      { clusterNames: ['c', 'gone', 'a'] },
      ['a', 'c'],
    ],
    ['nowhere for an empty list', { clusterNames: [] }, []],
    [
      'the clusters of a rule',
      { clusterAffinity: { labelSelector: { matchLabels: { zone: 'eu' } } } },
      ['a', 'c'],
    ],
    ['every cluster for a rule without a condition', { clusterAffinity: {} }, ['a', 'b', 'c']],
    [
      'those that either of both gives',
      {
        clusterNames: ['a'],
        clusterAffinity: {
          fieldSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: ['r1'] }] },
        },
      },
      ['a', 'b'],
    ],
    [
      'none for a selector that cannot be read',
      { clusterAffinity: { labelSelector: { matchLabels: { '!': '?' } } } },
      [],
    ],
  ];
  for (const [name, locality, expected] of cases) {
    it(name, () => assert.deepEqual(clustersOf(locality, clusters), expected));
  }
});
