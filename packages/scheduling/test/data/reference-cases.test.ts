import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseSource } from '../../src/data/choose-source.ts';
import { matchSource } from '../../src/data/match-source.ts';
import { questionOf } from '../../src/data/provision/data-question.ts';
import { madeName } from '../../src/data/provision/made-source.ts';
import { mapLocation } from '../../src/data/provision/map-location.ts';
import { claimOf, clustersNamed, sourceOf } from './claims.ts';

const DELETING = { deletionTimestamp: '2026-01-02T00:00:00Z' };
const CLUSTERS = clustersNamed('a', 'b', 'c');

const fits = (claim: object, source: object, metadata: object = {}): boolean =>
  matchSource(claimOf('k', claim), sourceOf('s', source, metadata)).fits;

const nameFor = (attributes: object | undefined): string =>
  madeName(
    questionOf(
      claimOf('k', {
        system: 'amoro',
        dataSourceName: 'dc1.db1.orders',
        ...(attributes === undefined ? {} : { attributes: attributes as never }),
      }),
    ),
  );

const chosen = (...sources: readonly ReturnType<typeof sourceOf>[]): string | undefined =>
  chooseSource(claimOf('k'), sources, CLUSTERS).source?.metadata.name;

const DATACENTRES = {
  's3://warehouse-dc1/': ['m1', 'm2'],
  's3://warehouse-dc2/': ['m3'],
  's3://warehouse-dc3/': ['m1', 'm3'],
};
const LEVELS = {
  's3://lake/': ['default'],
  's3://lake/prod/': ['p1', 'p2'],
  's3://lake/prod/db1/': ['db1-cluster'],
};

/** The cases of the design that this follows, in our words. A dash tells what is other than there, and why. */
describe('the reference for matching, naming and locating data', () => {
  const CASES: { readonly [name: string]: readonly [expected: unknown, run: () => unknown] } = {
    'attr: none asked, none there': [true, () => fits({}, {})],
    'attr: none asked, some there - what nobody asks for does not matter': [
      true,
      () => fits({}, { attributes: { format: 'orc' } }),
    ],
    'attr: some asked, none there': [false, () => fits({ attributes: { format: 'orc' } }, {})],
    'attr: an empty list is no list - there they differed': [
      [true, true],
      () => [fits({ attributes: {} }, {}), fits({}, { attributes: {} })],
    ],
    'attr: more asked than there': [
      false,
      () => fits({ attributes: { a: '1', b: '2' } }, { attributes: { a: '1' } }),
    ],
    'attr: another value': [
      false,
      () => fits({ attributes: { a: '1' } }, { attributes: { a: '2' } }),
    ],
    'attr: another key': [
      false,
      () => fits({ attributes: { a: '1' } }, { attributes: { b: '1' } }),
    ],
    'attr: the same pairs in another order': [
      true,
      () => fits({ attributes: { a: '1', b: '2' } }, { attributes: { b: '2', a: '1' } }),
    ],
    'match: system, type and name': [true, () => fits({}, {})],
    'match: another system': [false, () => fits({}, { system: 'iceberg' })],
    'match: another type': [false, () => fits({}, { type: 'topic' })],
    'match: another name': [false, () => fits({}, { name: 'db.other' })],
    'match: what is being deleted fits nobody': [false, () => fits({}, {}, DELETING)],
    'match: of two that fit, the one in more ready clusters - there whichever came first': [
      'wide',
      () =>
        chosen(sourceOf('narrow'), sourceOf('wide', { locality: { clusterNames: ['a', 'b'] } })),
    ],
    'match: of two in as many, the first by name': [
      'one',
      () => chosen(sourceOf('two'), sourceOf('one')),
    ],
    'match: none of none': [undefined, () => chosen()],
    'name: without attributes it says what the data is': [
      true,
      () => /^amoro-table-dc1\.db1\.orders-[0-9a-f]{16}$/.test(nameFor(undefined)),
    ],
    'name: attributes are part of it, in any order': [
      true,
      () => nameFor({ a: '1', b: '2' }) === nameFor({ b: '2', a: '1' }),
    ],
    'name: other values, keys, or none make another name': [
      4,
      () =>
        new Set([nameFor({ a: '1' }), nameFor({ a: '2' }), nameFor({ b: '1' }), nameFor({})]).size,
    ],
    'name: no attributes are none': [true, () => nameFor({}) === nameFor(undefined)],
    'location: by prefix': [
      ['m1', 'm2'],
      () => mapLocation('s3://warehouse-dc1/db1/orders', DATACENTRES),
    ],
    'location: one that no prefix begins': [
      undefined,
      () => mapLocation('s3://elsewhere/db1/orders', DATACENTRES),
    ],
    'location: the prefix itself': [['m3'], () => mapLocation('s3://warehouse-dc2/', DATACENTRES)],
    'location: the longest prefix': [
      [['db1-cluster'], ['p1', 'p2'], ['default']],
      () =>
        ['prod/db1/table1', 'prod/db2/table1', 'test/db1/table1'].map((path) =>
          mapLocation(`s3://lake/${path}`, LEVELS),
        ),
    ],
  };

  for (const [name, [expected, run]] of Object.entries(CASES)) {
    it(name, () => assert.deepEqual(run(), expected));
  }
});
