import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { YamlError } from '../../src/errors.ts';
import { parseKubeconfig } from '../../src/kubeconfig/parse-kubeconfig.ts';
import { parseYaml } from '../../src/yaml/parse-yaml.ts';
import { yamlFormat } from '../../src/yaml/yaml-format.ts';

const complaintAbout = (text: string): string => {
  try {
    parseYaml(text);
  } catch (error) {
    assert.ok(error instanceof YamlError, String(error));
    return error.message;
  }
  return 'none';
};

/** Texts that took a time in the square of their length, or that of 1 MiB took many seconds. */
const TOO_MUCH: readonly (readonly [string, string])[] = [
  ['anchors', `a: ${'&a '.repeat(280_000)}x`],
  ['tags', `a: ${'!t '.repeat(280_000)}x`],
  ['commas', `a: [${','.repeat(800_000)}]`],
  ['lists', '- x\n'.repeat(250_000)],
  ['keys', 'k: y\n'.repeat(200_000)],
  ['JSON-like pairs', `{${'"a":1,'.repeat(150_000)}"b":1}`],
];

describe('a text of more tokens than can be read in a moment is refused', () => {
  for (const [name, text] of TOO_MUCH) {
    it(name, () => assert.match(complaintAbout(text), /^yaml: .*more than 100000 tokens.*JSON/));
  }
});

describe('a text with an error in every token is told the first', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    [`a: ${'&a '.repeat(40_000)}x`, /^yaml: line 1: .*anchor/],
    [`\na: ${'!t '.repeat(40_000)}x`, /^yaml: line 2: .*tag/],
    [`a: [${','.repeat(90_000)}]`, /^yaml: line 1: unexpected , in flow sequence/],
    [']'.repeat(90_000), /^yaml: line 1: /],
    [`a: "${'x" "'.repeat(40_000)}`, /^yaml: line 1: /],
  ];
  for (const [text, complaint] of cases) {
    it(JSON.stringify(text.slice(0, 12)), () => assert.match(complaintAbout(text), complaint));
  }
});

test('large scalars are no tokens', () => {
  const text = `a: |\n${'  &a !t [x, y]: "z"\n'.repeat(50_000)}`;
  assert.equal(JSON.stringify(parseYaml(text).value).length > 900_000, true);
});

test('aliases cannot make much out of little, and nesting has an end', () => {
  const bomb = Array.from({ length: 30 }, (_, level) =>
    level === 0 ? 'a0: &a0 [x, x]' : `a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`,
  ).join('\n');
  assert.match(complaintAbout(bomb), /excessive aliasing/);
  const merges = `a: &a {${Array.from({ length: 400 }, (_, key) => `k${key}: 1`).join(',')}}\n${Array.from({ length: 400 }, (_, map) => `m${map}: {<<: *a}\n`).join('')}`;
  assert.match(complaintAbout(merges), /excessive aliasing/);
  assert.match(complaintAbout(`${'['.repeat(3000)}${']'.repeat(3000)}`), /max depth/);
  assert.match(complaintAbout(`a: *${'x'.repeat(10_000)}`), /^.{0,600}…$/);
});

test('a number of a million digits is a float, as to Go', () => {
  const parse = (digits: string) => parseYaml(`a: ${digits}`).value;
  assert.deepEqual(parse(`1${'0'.repeat(300)}`), { a: 1e300 });
  assert.deepEqual(parse(`-0x${'f'.repeat(65)}`), { a: -(2 ** 260) });
  assert.deepEqual(parse(`0.${'1'.repeat(1_000_000)}`), { a: 1 / 9 });
  assert.match(complaintAbout(`a: ${'9'.repeat(1_000_000)}`), /unsupported value: \+Inf/);
});

test('a document in a field is read and written as Kubernetes reads it', () => {
  const text = 'on: yes\nword: "yes"\nlarge: 9007199254740993\n';
  const value = yamlFormat.parse(text);
  assert.deepEqual(value, { true: true, word: 'yes', large: 9007199254740993n });
  assert.deepEqual(yamlFormat.parse(yamlFormat.format(value)), value);
  assert.throws(() => yamlFormat.parse('a: 1\n---\nb: 2\n'), /several documents/);
});

test('a kubeconfig, which may be in the Secret of a stranger, is read under the same limit', async () => {
  const hostile = `users: ${'&a '.repeat(280_000)}x`;
  await assert.rejects(parseKubeconfig(hostile, { name: 'the Secret a/b' }), /100000 tokens/);
  const many = `users: ${'&a '.repeat(40_000)}x`;
  await assert.rejects(parseKubeconfig(many, { name: 'the Secret a/b' }), /at line 1, column/);
});
