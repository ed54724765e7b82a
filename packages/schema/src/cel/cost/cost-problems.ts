import { type FieldError, forbidden } from '../../errors.ts';
import type { RuleTree } from '../rule-tree.ts';
import { times } from './size.ts';

/** Bounds of the estimated cost of one expression, and of all rules of a schema. */
const MOST_OF_ONE = 10_000_000;
const MOST_OF_ALL = 100_000_000;
/** The most expensive ones are named, but none below a hundredth of the limit. */
const MOST_NAMED = 4;
const LEAST_NAMED = MOST_OF_ALL / 100;
/** Beyond this, all are alike. */
const MOST_COUNTED = 2 ** 64;

export interface ExpressionCost {
  readonly field: string;
  readonly cost: number;
  readonly isRule: boolean;
}

const excessText = (what: string, cost: number, limit: number): string => {
  const excess = cost / limit;
  const factor =
    excess > 100 ? 'more than 100' : excess < 1.5 ? excess.toFixed(6) : excess.toFixed(1);
  return `${what} exceeds budget by factor of ${factor}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
};

/** The costs of the rules of one node, which are run for each value that there may be of it. */
export const ownCosts = ({ rules, cardinality }: RuleTree, path: string): ExpressionCost[] =>
  rules.flatMap(({ costs }, at): ExpressionCost[] => {
    const field = `${path}x-kubernetes-validations[${at}]`;
    const ofRule = Math.min(MOST_COUNTED, times(costs.rule ?? 0, cardinality));
    const ofMessage = Math.min(MOST_COUNTED, costs.messageExpression ?? 0);
    return [
      { field: `${field}.rule`, cost: ofRule, isRule: true },
      { field: `${field}.messageExpression`, cost: ofMessage, isRule: false },
    ];
  });

const ofOne = ({ field, cost, isRule }: ExpressionCost): FieldError[] => {
  if (cost <= MOST_OF_ONE) return [];
  const what = `estimated ${isRule ? 'rule' : 'messageExpression'} cost`;
  return [forbidden(field, excessText(what, cost, MOST_OF_ONE))];
};

/** Problems of rules that cost too much, each alone and all together. */
export const costProblems = (costs: readonly ExpressionCost[]): readonly FieldError[] => {
  const errors = costs.flatMap(ofOne);
  const total = costs.reduce((sum, { cost }) => sum + cost, 0);
  if (total <= MOST_OF_ALL) return errors;
  const costliest = costs
    .filter(({ cost }) => cost >= LEAST_NAMED)
    .toSorted((a, b) => b.cost - a.cost)
    .slice(0, MOST_NAMED);
  const part =
    'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  const whole = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return [
    ...errors,
    ...costliest.map(({ field }) => forbidden(field, part)),
    forbidden('', excessText(whole, total, MOST_OF_ALL)),
  ];
};
