import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PrinterColumn } from '@perigee/api/kind/define-kind';
import { findValues } from '@perigee/api/values/json-path/find-values';
import { parseJsonPath } from '@perigee/api/values/json-path/parse-json-path';
import { ParseError } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import fc from 'fast-check';
import { readIncludeObject, toTable } from '../../src/table/to-table.ts';
import { servedResource } from './served-resource-fixture.ts';

const NOW = Date.UTC(2026, 10, 15, 10, 4, 6);

const COLUMNS: readonly (readonly [string, PrinterColumn['type'], string])[] = [
  ['s', 'string', '.spec.s'],
  ['i', 'integer', '.spec.i'],
  ['n', 'number', '.spec.n'],
  ['b', 'boolean', '.spec.b'],
  ['d', 'date', '.spec.d'],
  ['idx', 'string', '.spec.l[0]'],
  ['neg', 'string', '.spec.l[-1]'],
  ['wild', 'string', '.spec.l[*]'],
  ['slice', 'string', '.spec.l[0:2]'],
  ['filt', 'string', '.status.conditions[?(@.type=="Ready")].status'],
  ['q', 'string', ".metadata.annotations['a.b/c']"],
  ['esc', 'string', '.metadata.annotations.a\\.b/c'],
  ['obj', 'string', '.spec.o'],
  ['rec', 'string', '..deep'],
  ['fnum', 'string', '.spec.ls[?(@.n>1)].name'],
  ['age', 'date', '.metadata.creationTimestamp'],
  ['ex', 'string', '.status.conditions[?(@.reason)].type'],
  ['union', 'string', '.spec.l[0,2]'],
  ['sneg', 'integer', '.spec.s'],
  ['nul', 'string', '.spec.nul'],
  ['flt', 'string', '.spec.n'],
  ['iof', 'integer', '.spec.f'],
];

const columns = COLUMNS.map(([name, type, path]): PrinterColumn => ({ name, type, path, doc: '' }));

/** Objects and the cells that kube-apiserver v1.36.3 showed of them under these columns. */
const GOLDEN: readonly (readonly [JsonObject, readonly JsonValue[]])[] = [
  [
    {
      spec: {
        s: 'text',
        i: 7,
        n: 1.5,
        b: true,
        d: '2020-01-01T00:00:00Z',
        l: ['a', 'b', 'c'],
        o: { x: 1, y: { z: 'q' } },
        deep: 'D',
        ls: [
          { n: 1, name: 'one' },
          { n: 2, name: 'two' },
          { n: 3, name: 'three' },
        ],
        f: 2.75,
      },
      status: {
        conditions: [
          { type: 'Other', status: 'X' },
          { type: 'Ready', status: 'True', reason: 'Because' },
        ],
      },
    },
    [
      'text',
      7,
      1.5,
      true,
      '6y320d',
      'a',
      'c',
      'a',
      'a',
      'True',
      null,
      'dotted',
      '{"x":1,"y":{"z":"q"}}',
      'D',
      'two',
      '0s',
      'Ready',
      'a',
      null,
      null,
      '1.5',
      2,
    ],
  ],
  [
    {},
    [
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      'dotted',
      null,
      null,
      null,
      '0s',
      null,
      null,
      null,
      null,
      null,
      null,
    ],
  ],
  [
    { spec: { s: 5, i: '7', n: 'x', b: 'true', d: 'not a date', l: 'str', o: [1], nul: null } },
    [
      '5',
      null,
      null,
      null,
      '<invalid>',
      null,
      null,
      null,
      null,
      null,
      null,
      'dotted',
      '[1]',
      null,
      null,
      '0s',
      null,
      null,
      5,
      '<no value>',
      'x',
      null,
    ],
  ],
  [
    { spec: { s: { a: 1, b: '<&>' }, i: 2.9, n: 3, b: false, d: '', l: [], o: {}, f: -2.9 } },
    [
      '{"a":1,"b":"\\u003c\\u0026\\u003e"}',
      2,
      3,
      false,
      '<unknown>',
      null,
      null,
      null,
      null,
      null,
      null,
      'dotted',
      '{}',
      null,
      null,
      '0s',
      null,
      null,
      null,
      null,
      '3',
      -2,
    ],
  ],
  [
    { spec: { s: ['x', 1, null], l: [{ a: 1 }], n: 1e-7, i: null, d: 5 } },
    [
      '["x",1,null]',
      null,
      1e-7,
      null,
      null,
      '{"a":1}',
      '{"a":1}',
      '{"a":1}',
      null,
      null,
      null,
      'dotted',
      null,
      null,
      null,
      '0s',
      null,
      null,
      null,
      null,
      '1e-07',
      null,
    ],
  ],
  [
    { spec: { s: true, l: [null], n: 1000000, f: 100000 } },
    [
      'true',
      null,
      1000000,
      null,
      null,
      '<no value>',
      '<no value>',
      '<no value>',
      null,
      null,
      null,
      'dotted',
      null,
      null,
      null,
      '0s',
      null,
      null,
      null,
      null,
      '1000000',
      100000,
    ],
  ],
];

const metadata = {
  name: 'a',
  creationTimestamp: '2026-11-15T10:04:06Z',
  annotations: { 'a.b/c': 'dotted' },
};

describe('the table of a custom resource', () => {
  const resource = servedResource(columns);

  for (const [index, [fields, expected]] of GOLDEN.entries()) {
    it(`shows the cells of object ${index} as kube-apiserver does`, () => {
      const { rows } = toTable(resource, [{ metadata, ...fields }], { nowMs: NOW });
      const [row] = rows as unknown as readonly { cells: readonly JsonValue[] }[];
      const named = Object.fromEntries(COLUMNS.map(([name], at) => [name, row?.cells[at + 1]]));
      assert.deepEqual(
        named,
        Object.fromEntries(COLUMNS.map(([name], at) => [name, expected[at]])),
      );
      assert.equal(row?.cells[0], 'a');
    });
  }

  it('has its definitions in front', () => {
    const table = toTable(resource, [], { nowMs: NOW, metadata: { resourceVersion: '15127' } });
    const definitions = table.columnDefinitions as readonly JsonObject[];
    assert.deepEqual(
      { ...table, columnDefinitions: definitions.length },
      {
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: '15127' },
        columnDefinitions: COLUMNS.length + 1,
        rows: [],
      },
    );
    assert.deepEqual(
      definitions
        .slice(0, 2)
        .map(({ name, type, format, priority }) => [name, type, format, priority]),
      [
        ['Name', 'string', 'name', 0],
        ['s', 'string', '', 0],
      ],
    );
    assert.equal(
      definitions[1]?.description,
      'Custom resource definition column (in JSONPath format): .spec.s',
    );
  });

  it('leaves them out in the later events of a watch', () => {
    assert.equal(
      toTable(resource, [], { nowMs: NOW, withDefinitions: false }).columnDefinitions,
      null,
    );
  });

  it('shows the age of a kind that asks for nothing else', () => {
    const table = toTable(servedResource([]), [{ metadata }], { nowMs: NOW + 90_000 });
    assert.deepEqual(table.rows, [
      {
        cells: ['a', '90s'],
        object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
      },
    ]);
  });

  it('ends the columns at a path that makes no sense', () => {
    const broken = [
      columns[0],
      { name: 'x', type: 'string', path: '.a["b"]', doc: '' },
      columns[1],
    ];
    const table = toTable(servedResource(broken as PrinterColumn[]), [{ metadata }], {
      nowMs: NOW,
    });
    assert.deepEqual(
      (table.columnDefinitions as readonly JsonObject[]).map(({ name }) => name),
      ['Name', 's'],
    );
  });

  it('carries as much of the object as is asked for', () => {
    const object = { kind: 'Widget', apiVersion: 'codec.test/v1', metadata, spec: { s: 'x' } };
    const carried = (includeObject: 'Metadata' | 'Object' | 'None') => {
      const table = toTable(resource, [object], { nowMs: NOW, includeObject, version: 'v1beta1' });
      return (table.rows as unknown as readonly { object: JsonValue }[])[0]?.object;
    };
    assert.deepEqual(carried('Object'), object);
    assert.equal(carried('None'), null);
    assert.deepEqual(carried('Metadata'), {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1beta1',
      metadata,
    });
  });

  it('reads includeObject, and refuses what it does not know', () => {
    assert.deepEqual([null, '', 'Object'].map(readIncludeObject), [
      'Metadata',
      'Metadata',
      'Object',
    ]);
    assert.throws(() => readIncludeObject('Bogus'), {
      message:
        "Unable to convert to Table as requested: includeObject: Invalid value: \"Bogus\": must be 'Metadata', 'Object', 'None', or empty",
    });
  });
});

describe('JSON paths', () => {
  const value = {
    a: {
      'b.c': [1, 2, 3, 4],
      d: [
        { k: 'x', v: 1 },
        { k: 'y', v: 2 },
      ],
    },
  };
  const cases: readonly (readonly [string, readonly JsonValue[]])[] = [
    ['.a.d[*].v', [1, 2]],
    ["$.a['b\\.c'][1]", [2]],
    ['.a.b\\.c[1:3]', [2, 3]],
    ['.a.b\\.c[::2]', [1, 3]],
    ['.a.b\\.c[-2:]', [3, 4]],
    ['.a.b\\.c[0,3]', [1, 4]],
    ['.a.d[?(@.k!="x")].v', [2]],
    [".a.d[?(@.k=='x')].v", [1]],
    ['.a.d[?(@.v>=1)].k', ['x', 'y']],
    ['.a.d[?(@.v<"2")].k', []],
    ['.a.d[?(@.w)].k', []],
    ['.a.*[0]', [1, { k: 'x', v: 1 }]],
    ['..k', ['x', 'y']],
    ['.toString', []],
  ];
  for (const [path, expected] of cases) {
    it(path, () => assert.deepEqual(findValues(parseJsonPath(path), value), expected));
  }

  it('refuses what is no path', () => {
    for (const path of [
      '',
      '.',
      'a',
      '.a[',
      '.a[x]',
      '.a["b"]',
      '.a[?(@.b=~"c")]',
      '.a[?(b==c)]',
      '.a]',
      '.a[]',
    ]) {
      assert.throws(() => parseJsonPath(path), ParseError, path);
    }
  });

  it('answers every text with a path or a ParseError', () => {
    const fragments = fc.constantFrom(
      '.',
      'a',
      '[',
      ']',
      '*',
      '?(',
      '@',
      ')',
      '"',
      "'",
      '==',
      '0',
      ':',
      ',',
      '\\',
      '$',
      '-',
    );
    fc.assert(
      fc.property(
        fc.array(fragments, { maxLength: 12 }),
        fc.jsonValue({ maxDepth: 3 }),
        (parts, json) => {
          try {
            findValues(parseJsonPath(parts.join('')), json as JsonValue);
          } catch (error) {
            assert.ok(error instanceof ParseError);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
