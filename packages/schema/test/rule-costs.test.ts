import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { declareType } from '@perigee/schema/cel/declare';
import { compileProgram } from '@perigee/schema/cel/program';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { ruleProblems } from '@perigee/schema/validate/rule-problems';
import { declareSize, MOST_BYTES } from '../src/cel/cost/declared-size.ts';

/** Estimates of kube-apiserver: the number of the schema, the rule, its cost, and its cardinality. */
type RecordedCost = readonly [number, string, number | 'unbounded', number];

interface Recorded {
  readonly schemas: readonly StructuralSchema[];
  readonly costs: readonly RecordedCost[];
}

const recorded: Recorded = JSON.parse(
  readFileSync(new URL('recorded/rule-costs.json', import.meta.url), 'utf8'),
);

/** So much is more than any limit, and no longer counted exactly. */
const BEYOND = 2 ** 60;

const costOf = (schema: StructuralSchema, rule: string): number | 'unbounded' => {
  const type = declareType(schema, false);
  const size = declareSize(schema, false);
  assert.ok(type && size);
  const program = compileProgram(rule, { self: type, oldSelf: type }, { size });
  assert.ok('cost' in program, rule);
  return program.cost > BEYOND ? 'unbounded' : program.cost;
};

/** Schemas of the recorded costs. */
const NAMES = ['an object', 'a list', 'a text', 'a map', 'an unusual object'];

describe('the cost of a rule is estimated as by kube-apiserver:', () => {
  for (const [at, schema] of recorded.schemas.entries()) {
    it(NAMES[at] ?? '', () => {
      const rules = recorded.costs.filter(([number]) => number === at);
      assert.ok(rules.length > 0);
      for (const [, rule, cost, fitting] of rules) {
        assert.equal(costOf(schema, rule), cost, rule);
        const least = declareSize(schema, false)?.leastBytes ?? 0;
        assert.equal(Math.floor(MOST_BYTES / (least + 1)), fitting);
      }
    });
  }
});

describe('a rule that costs too much', () => {
  const listOf = (limits: StructuralSchema): StructuralSchema => ({
    type: 'object',
    properties: { names: { type: 'array', items: { type: 'string' }, ...limits } },
    'x-kubernetes-validations': [{ rule: 'self.names.all(a, self.names.exists(b, a == b))' }],
  });

  it('is refused, and taken with a limit', () => {
    const [one, part, whole] = ruleProblems(listOf({}));
    assert.equal(one?.field, 'x-kubernetes-validations[0].rule');
    assert.match(one?.message ?? '', /^Forbidden: estimated rule cost .* more than 100x \(try/);
    assert.match(part?.message ?? '', /^Forbidden: contributed to/);
    assert.equal(whole?.field, '');
    assert.deepEqual(ruleProblems(listOf({ maxItems: 5 })), []);
  });

  it('is left alone in a schema that was there before', () => {
    assert.deepEqual(ruleProblems(listOf({}), true), []);
  });

  it('is not made cheaper by a part that makes no sense', () => {
    const costly = 'self.names.all(a, self.names.all(b, a == b))';
    const schema = (rule: string): StructuralSchema => ({
      ...listOf({ maxItems: 1300, items: { type: 'string', maxLength: 100 } }),
      'x-kubernetes-validations': [{ rule }],
    });
    assert.equal(ruleProblems(schema(costly)).length, 1);
    const rule = `${costly} || self.names.slice(1000000000, 1).all(x, true)`;
    assert.equal(ruleProblems(schema(rule)).length, 3);
  });

  it('is told from one about an enum of any length', () => {
    const names = Array.from({ length: 200_000 }, (_, at) => `n${at}`);
    const schema: StructuralSchema = {
      type: 'object',
      properties: { name: { type: 'string', enum: names } },
      'x-kubernetes-validations': [{ rule: "self.name != 'n1'" }],
    };
    assert.deepEqual(ruleProblems(schema), []);
  });

  it('does not take long to be found, however often it repeats itself', () => {
    const steps = '.optMap(x, x)'.repeat(60);
    const [schema] = recorded.schemas;
    assert.ok(schema);
    assert.equal(costOf(schema, `self.?name${steps}.hasValue()`), 'unbounded');
  });
});
