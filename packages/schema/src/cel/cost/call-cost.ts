import type { CallForm } from '../shape.ts';
import { type CallCost, type CallFacts, type Estimate, NOMINAL } from './cost-rule.ts';
import type { DeclaredSize } from './declared-size.ts';
import { FUNCTION_COSTS } from './function-costs.ts';
import { LIST_FUNCTION_COSTS } from './list-function-costs.ts';
import { operatorCost } from './operator-costs.ts';
import { type Size, UNKNOWN, union } from './size.ts';

const costOf = (call: CallFacts): CallCost => {
  const { name } = call.form;
  return (
    LIST_FUNCTION_COSTS.get(name)?.(call) ??
    FUNCTION_COSTS.get(name)?.(call) ??
    operatorCost(call) ??
    NOMINAL
  );
};

/** The most that any of the functions costs which the call may turn out to be. */
export const callCost = (
  form: CallForm,
  args: readonly Estimate[],
  root: DeclaredSize,
): CallCost => {
  const sizeOf = (index: number): Size => args[index]?.size ?? UNKNOWN;
  const costs = form.overloads.map((parameters) =>
    costOf({ form, parameters, args, root, sizeOf }),
  );
  const sizes = costs.flatMap(({ size }) => (size === undefined ? [] : [size]));
  const [first, ...rest] = sizes;
  return {
    cost: Math.max(...costs.map(({ cost }) => cost)),
    ...(first && { size: rest.reduce(union, first) }),
  };
};
