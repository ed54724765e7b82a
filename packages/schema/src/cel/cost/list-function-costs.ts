import { type CallFacts, type CostRule, LIST_COST } from './cost-rule.ts';
import { exactly, product, type Size, times } from './size.ts';

const CALL_COST = 1;
/** Cost of comparing strings, per character, beside that of comparing numbers. */
const TEXT_FACTOR = 0.1;
/** Types that may be strings; `dyn` may be one, too. */
const TEXTS = new Set(['string', 'bytes', 'dyn']);

/** A new list costs as much as it has elements, each at a factor. */
const madeList = (size: Size, factor: number) => ({
  cost: Math.ceil(times(size.max, factor)) + CALL_COST + LIST_COST,
  size,
});

const literalAt = ({ form }: CallFacts, index: number, otherwise: number): number => {
  const argument = form.args[index]?.form;
  if (argument?.kind !== 'literal' || typeof argument.value !== 'bigint') return otherwise;
  return Math.max(0, Number(argument.value));
};

/** All elements are compared with all. */
const comparedAll = (size: Size, factor: number) => madeList(product(size, size), factor);

const setsCost =
  (factor: number): CostRule =>
  ({ sizeOf }) => ({
    cost: Math.ceil(times(times(sizeOf(0).max, sizeOf(1).max), factor)) + CALL_COST,
  });

const sortCost =
  (list: number): CostRule =>
  ({ parameters, sizeOf }) => {
    const type = parameters[list];
    const isText = type?.kind === 'list' && TEXTS.has(type.item.kind);
    return comparedAll(sizeOf(list), 2 + (isText ? TEXT_FACTOR : 0));
  };

/** Costs of functions on lists and sets, by name. */
export const LIST_FUNCTION_COSTS: ReadonlyMap<string, CostRule> = new Map<string, CostRule>([
  ['sets.contains', setsCost(1)],
  ['sets.intersects', setsCost(1)],
  ['sets.equivalent', setsCost(2)],
  [
    'slice',
    (call) => {
      const length = literalAt(call, 2, call.sizeOf(0).max) - literalAt(call, 1, 0);
      // An invalid range must not lower the cost of the whole.
      return madeList(exactly(length < 0 ? Number.POSITIVE_INFINITY : length), 1);
    },
  ],
  ['lists.range', (call) => madeList(exactly(literalAt(call, 0, Number.POSITIVE_INFINITY)), 1)],
  ['reverse', ({ sizeOf }) => madeList(sizeOf(0), 1)],
  [
    'flatten',
    (call) => {
      const isDeep = call.form.args.length > 1;
      const depth = isDeep ? literalAt(call, 1, Number.POSITIVE_INFINITY) : 1;
      return madeList(call.sizeOf(0), depth);
    },
  ],
  ['distinct', ({ sizeOf }) => comparedAll(sizeOf(0), 2)],
  ['sort', sortCost(0)],
  ['@sortByAssociatedKeys', sortCost(1)],
]);
