import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { parseYaml } from '../../src/codec/yaml/parse-yaml.ts';
import { MalformedBodyError } from '../../src/errors.ts';

const value = (text: string) => parseYaml(text).value;

const messageOf = (text: string): string => {
  try {
    parseYaml(text);
  } catch (error) {
    assert.ok(error instanceof MalformedBodyError);
    return error.message;
  }
  return 'no error';
};

/** Scalars and what kube-apiserver v1.36.3 makes of them. */
const SCALARS: readonly (readonly [string, unknown])[] = [
  ['yes', true],
  ['y', true],
  ['On', true],
  ['TRUE', true],
  ['N', false],
  ['off', false],
  ['NO', false],
  ['tRUE', 'tRUE'],
  ['"yes"', 'yes'],
  ["'1'", '1'],
  ['~', null],
  ['Null', null],
  ['', null],
  ['010', 8],
  ['0o10', 8],
  ['0o8', '0o8'],
  ['08', 8],
  ['0x10', 16],
  ['-0x10', -16],
  ['0b11', 3],
  ['0x', '0x'],
  ['1_000', 1000],
  ['1__0', 10],
  ['_1', '_1'],
  ['+5', 5],
  ['1e3', 1000],
  ['1.', 1],
  ['.5', 0.5],
  ['-.5', -0.5],
  ['1e', '1e'],
  ['2020-01-01', '2020-01-01'],
  ['12:30:45', '12:30:45'],
  ['.e3', '.e3'],
  ['=', '='],
  ['!!str 5', '5'],
  ['!!int "5"', 5],
  ['!!float 5', 5],
  ['!!bool yes', true],
  ['!!binary aGk=', 'hi'],
  ['!!foo x', 'x'],
];

const COMPLAINTS: readonly (readonly [string, string])[] = [
  ['a: *b', "yaml: unknown anchor 'b' referenced"],
  ['a: &x [*x]', "yaml: anchor 'x' value contains itself"],
  ['a: !!binary xx', 'yaml: !!binary value contains invalid base64 data'],
  ['a: !!int x', 'yaml: cannot decode !!str `x` as a !!int'],
  ['a: !!null x', 'yaml: cannot decode !!str `x` as a !!null'],
  ['a: .inf', 'json: unsupported value: +Inf'],
  ['a: .nan', 'json: unsupported value: NaN'],
  ['<<: x', 'yaml: map merge requires map or sequence of maps as the value'],
];

const SYNTAX: readonly (readonly [string, string])[] = [
  ['a: b: c', 'yaml: line 1: mapping values are not allowed in this context'],
  ['x: 1\na:\n\tb: 1', 'yaml: line 3: found character that cannot start any token'],
  ['a: @x', 'yaml: line 1: found character that cannot start any token'],
  ['a: "x', 'yaml: line 1: found unexpected end of stream'],
  ['a: "\\q"', 'yaml: line 1: found unknown escape character'],
];

describe('parseYaml', () => {
  for (const [text, expected] of SCALARS) {
    it(`reads ${text === '' ? 'nothing' : text}`, () => {
      assert.deepEqual(value(`a: ${text}`), { a: expected });
    });
  }

  for (const [text, message] of COMPLAINTS) {
    it(`complains as kube-apiserver about ${text}`, () => assert.equal(messageOf(text), message));
  }

  for (const [text, message] of SYNTAX) {
    it(`tells the line and what is wrong: ${JSON.stringify(text)}`, () => {
      assert.equal(messageOf(text), message);
    });
  }

  it('makes strings of keys', () => {
    const text = '{y: 1, 1.5: 2, 0x10: 3, 2020-01-01: 4, 1_000: 5, 1e3: 6, 1e-7: 7, "1": 8}';
    assert.deepEqual(value(text), {
      true: 1,
      '1.5': 2,
      '16': 3,
      '2020-01-01': 4,
      '1000': 6,
      '1e-07': 7,
      '1': 8,
    });
    assert.match(messageOf('~: x'), /unsupported map key/);
    assert.match(messageOf('? [a]\n: b'), /invalid map key/);
  });

  it('takes the first of several documents, and null for none', () => {
    assert.deepEqual(value('a: 1\n---\nb: 2'), { a: 1 });
    assert.equal(value('# nothing'), null);
    assert.equal(value(''), null);
  });

  it('tells where a key is given again', () => {
    const text = 'kind: A\ndata: {x: "1", x: "2"}\nmetadata:\n  name: a\nkind: B\n';
    assert.deepEqual(parseYaml(text), {
      value: { kind: 'B', data: { x: '2' }, metadata: { name: 'a' } },
      duplicateKeys: [
        'line 2: key "x" already set in map',
        'line 5: key "kind" already set in map',
      ],
    });
  });

  it('follows aliases and merges', () => {
    const text =
      'base: &b {x: 1, w: 2}\nmore: &m {w: 9, z: 3}\nc: {<<: *b, w: 5}\nd: {<<: [*b, *m]}\n';
    assert.deepEqual(value(text), {
      base: { x: 1, w: 2 },
      more: { w: 9, z: 3 },
      c: { x: 1, w: 5 },
      d: { w: 2, z: 3, x: 1 },
    });
  });

  it('stops when aliases multiply', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let level = 1; level < 10; level += 1) {
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join()}]`,
      );
    }
    assert.equal(messageOf(lines.join('\n')), 'yaml: document contains excessive aliasing');
  });

  it('survives any depth', () => {
    assert.equal(messageOf(`a: ${'['.repeat(500)}${']'.repeat(500)}`), 'no error');
    for (const depth of [2_000, 20_000]) {
      assert.equal(
        messageOf(`a: ${'['.repeat(depth)}${']'.repeat(depth)}`),
        'yaml: exceeded max depth',
      );
    }
  });

  it('keeps whole numbers of 64 bits to the last digit', () => {
    assert.deepEqual(value('a: 9007199254740993'), { a: 9007199254740993n });
    assert.deepEqual(value('a: -0x7fffffffffffffff'), { a: -(2n ** 63n - 1n) });
    assert.deepEqual(value('9007199254740993: !!int 9007199254740993'), {
      '9007199254740993': 9007199254740993n,
    });
    assert.deepEqual(value('a: 9223372036854775808'), { a: 2 ** 63 });
  });

  it('keeps __proto__ a plain field', () => {
    assert.equal(JSON.stringify(value('__proto__: {a: 1}')), '{"__proto__":{"a":1}}');
  });

  it('reads JSON and what YAML writes of it as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (json) => {
        const plain = JSON.parse(JSON.stringify(json));
        assert.deepEqual(value(stringify({ plain }, { version: '1.1' })), { plain });
      }),
      { numRuns: 200 },
    );
  });

  it('answers every text with a value or a MalformedBodyError', () => {
    const fragments = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '&x',
      '*x',
      '!!int',
      '? ',
      '|',
      '#',
      '\t',
      '---',
      '<<',
      '%',
      '@',
      '1e9',
      ',',
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 25 }), (parts) => {
        messageOf(parts.join(''));
      }),
      { numRuns: 1_000 },
    );
  });
});
