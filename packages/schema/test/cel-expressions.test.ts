import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { ruleProblems } from '@perigee/schema/validate/rule-problems';
import { compileValidator } from '@perigee/schema/validate/validate';
import { objectWith, recorded } from './recorded.ts';

/** Outcome of a rule: a truth value, a failure when it runs, or an error when it is compiled. */
type Outcome =
  | { readonly is: boolean }
  | { readonly fails: string | true }
  | { readonly refused: string | true };

interface Recording {
  readonly schema: StructuralSchema;
  readonly self: JsonObject;
  readonly cases: readonly ({ readonly rule: string } & Outcome)[];
}

const { schema, self, cases } = recorded<Recording>('expressions');

const withRule = (rule: string): StructuralSchema => ({
  type: 'object',
  properties: { spec: { ...schema, 'x-kubernetes-validations': [{ rule, message: 'RULE' }] } },
});

/** The text after the rule that an error shows, which is all that is left to compare. */
const detailOf = (message: string): string =>
  /"OptionalOldSelf":null\}: (?:compilation failed: )?(.*)$/s.exec(message)?.[1] ?? message;

const outcomeOf = (rule: string): { is: boolean } | { fails: string } | { refused: string } => {
  const [problem] = ruleProblems(withRule(rule));
  if (problem !== undefined) return { refused: detailOf(problem.message) };
  const [error] = compileValidator(withRule(rule))(objectWith(self));
  if (error === undefined) return { is: true };
  if (error.message === 'Invalid value: RULE') return { is: false };
  const failure = /^Invalid value: "object": (?:'(.*?)': call|(.*) evaluating rule: RULE$)/s.exec(
    error.message,
  );
  return { fails: failure?.[1] ?? failure?.[2] ?? error.message };
};

describe('an expression comes to what it comes to in a kube-apiserver', () => {
  for (const { rule, ...expected } of cases) {
    it(rule, () => {
      const outcome = outcomeOf(rule);
      if (Object.values(expected)[0] === true && !('is' in expected)) {
        assert.deepEqual(Object.keys(outcome), Object.keys(expected), JSON.stringify(outcome));
      } else assert.deepEqual(outcome, expected);
    });
  }
});
