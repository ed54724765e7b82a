import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '@perigee/schema/json';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { parseYaml } from '../../src/codec/yaml/parse-yaml.ts';
import { writeYaml } from '../../src/codec/yaml/write-yaml.ts';

const byLibrary = (value: JsonValue): string =>
  stringify(value, {
    version: '1.1',
    aliasDuplicateObjects: false,
    indentSeq: false,
    sortMapEntries: true,
  });

const ODD = [
  ...['', ' ', '~', '=', '<<', '-', '- a', '? a', ': a', 'a:', 'a: b', 'a #b', '#a', '|', '>', '%'],
  ...['yes', 'No', 'TRUE', 'off', 'null', 'Null', 'y', 'N', '.inf', '.5', '1e3', '1_000', '0x1f'],
  ...[
    '0b1',
    '017',
    '12:30:45',
    '2026-01-02',
    '2026-01-02T03:04:05Z',
    '2026-01-31T03:04:05Z',
    '1.2.3.4',
  ],
  ...['{a}', '[a]', 'a, b', 'k:{"name":"a"}', 'f:metadata', '.', "it's", '"a"', '\\', '@a', '`a`'],
  ...[
    'a\nb',
    'a\n',
    '\n',
    ' a',
    'a ',
    '\ta',
    'a\tb',
    '\u0000',
    '\u2028',
    'ü',
    '😀',
    'a  b',
    '!tag',
    '&a',
    '*a',
  ],
  ...[
    '250m',
    '64Mi',
    '1',
    '-1',
    '1.0',
    '7d4b9c6f-0000-4000-8000-000000000000',
    'registry/app:v1.2',
    '__proto__',
  ],
  'word '.repeat(30).trim(),
  `${'long'.repeat(40)} and so on`,
  'x'.repeat(200),
  `/${'path/'.repeat(30)}end`,
];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 100 }) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom('a', 'B1', 'x.y/z', 'k=v', '-', ':', '#', 'is', '7', 'no'), {
        maxLength: 30,
      })
      .map((words) => words.join(' ')),
  },
);
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    text,
    fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

test('YAML is written exactly as the library writes it', () => {
  fc.assert(
    fc.property(value, (any) => {
      assert.equal(writeYaml(any), byLibrary(any));
    }),
    { numRuns: 500 },
  );
});

test('every odd text is written so, wherever it stands', () => {
  for (const odd of ODD) {
    for (let depth = 0; depth < 40; depth += 7) {
      let place: JsonValue = { 'a key': odd, [odd]: [odd, [odd, { [odd]: odd }]] };
      for (let level = 0; level < depth; level++)
        place = level % 3 === 2 ? [place] : { deep: place };
      assert.equal(writeYaml(place), byLibrary(place));
    }
  }
});

test('numbers beyond those of floats stay as they are', () => {
  const object = { big: 2n ** 63n - 1n, list: [-(2n ** 63n), 1.5, 1e21, -0] };
  assert.equal(writeYaml(object), byLibrary(object));
});

test('nothing is taken for the end of a document', () => {
  for (const mark of ['---', '...', '--- a', '... a']) {
    const object = { [mark]: mark, list: [mark, { [mark]: [mark] }] };
    assert.deepEqual(parseYaml(Buffer.from(writeYaml(object))).value, object);
  }
});

test('what nests deep is not written as many times its size in spaces', () => {
  let value: JsonValue = Array.from({ length: 100 }, (_, index) => `${index}: "leaf"`);
  for (let level = 0; level < 900; level++) value = { a: value };
  const text = writeYaml(value);
  assert.ok(text.length < 2 * JSON.stringify(value).length, `${text.length} characters`);
  assert.deepEqual(parseYaml(text).value, value);
});
