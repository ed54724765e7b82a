import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../src/cel/budget.ts';
import type { Messages } from '../src/cel/messages.ts';
import { compileProgram } from '../src/cel/program.ts';
import { toJson } from '../src/cel/to-json.ts';
import { DYN, INT, STRING } from '../src/cel/types.ts';

const FIELDS = new Map([
  ['name', STRING],
  ['size', INT],
  ['namespace', STRING],
  ['inner', DYN],
]);
const messages: Messages = (name) =>
  name === 'Thing' || name.startsWith('Thing.') ? (field) => FIELDS.get(field) : undefined;

const compile = (source: string) => compileProgram(source, { n: INT }, { messages });

const made = (source: string): unknown => {
  const program = compile(source);
  if ('problem' in program) return program.problem.message;
  const budget = new Budget();
  budget.startCall();
  return toJson(program.run(budget, [7n]));
};

const CASES: readonly (readonly [source: string, result: unknown])[] = [
  ['Thing{}', {}],
  ['Thing{name: "a", size: n + 1}', { name: 'a', size: 8 }],
  ['Thing{name: "{", inner: {"}": "x"}} // {', { name: '{', inner: { '}': 'x' } }],
  ['Thing{inner: Thing.inner{size: 9223372036854775807}}', { inner: { size: 2n ** 63n - 1n } }],
  ['Thing{namespace: "own", ?size: optional.none()}', { namespace: 'own' }],
  ['Thing{?name: optional.of("a")}', { name: 'a' }],
  ['[1, 2].map(i, Thing{size: i})', [{ size: 1 }, { size: 2 }]],
  ['"a" in {"a": 1} ? Thing{size: 1} : Thing{}', { size: 1 }],
  ['Thing{size: 1} == Thing{size: 1}', true],
  ['Thing{size: 1} == Thing{size: 2}', false],
  ["Thing{name: '''{'''}", { name: '{' }],
  ['Thing{inner: b"ab"}', { inner: 'YWI=' }],
  ['Thing{inner: duration("90s")}', { inner: '90s' }],
  ['Thing{size: "a"}', "expected type of field 'size' is 'int' but provided type is 'string'"],
  ['Thing{what: 1}', "expected type of field 'what' is '' but provided type is 'int'"],
  ['Other{size: 1}', "undeclared reference to 'Other' (in container '')"],
  ['Thing{1: 2}', 'Syntax error: expected the name of a field'],
];

for (const [source, result] of CASES) {
  test(source, () => assert.deepEqual(made(source), result));
}

test('problems are told where they are in the source', () => {
  const source = 'Thing{inner: Thing{size: 1}, name: missing}';
  const program = compile(source);
  assert.ok('problem' in program);
  assert.equal(program.problem.position, source.indexOf('missing'));
});
