import { type CallFacts, type CostRule, NOMINAL, TEXT_PRICE } from './cost-rule.ts';
import { sizeAt } from './declared-size.ts';
import { patternCost } from './operator-costs.ts';
import { plus, priceOf, product, type Size, times, UNKNOWN } from './size.ts';

/** Allows two of them for each expression. */
const CHECK_COST = 350_000;
const LONGEST_NAME_PATTERN = 128;
const LONGEST_ADDRESS_BYTES = 16;

const nominal: CostRule = () => NOMINAL;

/** Goes through the text of an argument so many times. */
const through =
  (index: number, passes = 1): CostRule =>
  ({ sizeOf }) => ({ cost: priceOf(sizeOf(index).max, passes * TEXT_PRICE) });

/** The same, and gives a text that is no longer. */
const sameText: CostRule = ({ sizeOf }) => ({
  cost: priceOf(sizeOf(0).max, TEXT_PRICE),
  size: sizeOf(0),
});

/** Size of the elements of a list, from the declaration of the list. */
const elementSize = ({ args: [list], root }: CallFacts): Size =>
  (list && list.path.length > 0 && sizeAt(root, [...list.path, '@items'])) || UNKNOWN;

const listCost: CostRule = (call) => {
  const [list] = call.form.args;
  const { max } = call.sizeOf(0);
  if (list?.type.kind !== 'list') return { cost: priceOf(max, TEXT_PRICE) };
  const isText = list.type.item.kind === 'string' || list.type.item.kind === 'bytes';
  return { cost: times(max, 1 + (isText ? priceOf(elementSize(call).max, TEXT_PRICE) : 0)) };
};

const joinCost: CostRule = (call) => {
  const list = call.sizeOf(0);
  const [target, separator] = call.form.args;
  const texts =
    target?.type.kind === 'list' ? product(list, elementSize(call)) : { min: 0, max: 0 };
  const between = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  const size = separator === undefined ? texts : plus(texts, product(call.sizeOf(1), between));
  return { cost: priceOf(size.max, TEXT_PRICE), size };
};

/** Length of a text after replacing all parts of it; an empty part is between all characters. */
const replacedLength = (text: number, part: number, by: number, isNoChange: boolean): number => {
  if (part === 0) return times(text + 1, by) + text;
  return isNoChange ? text : times(Math.ceil(text / part), by);
};

const replacedSize = (text: Size, part: Size, by: Size): Size => ({
  min: replacedLength(text.min, part.max, by.min, part.max <= by.min),
  max: replacedLength(text.max, part.min, by.max, by.max <= part.min),
});

const splitCost: CostRule = ({ form, sizeOf }) => {
  const limit = form.args[2]?.form;
  const most =
    limit?.kind === 'literal' && typeof limit.value === 'bigint' ? limit.value : undefined;
  const max =
    most === undefined ? sizeOf(0).max : most < 0n ? Number.POSITIVE_INFINITY : Number(most);
  return { cost: priceOf(sizeOf(0).max, 2 * TEXT_PRICE), size: { min: 0, max } };
};

const containedCost =
  (isRange: boolean): CostRule =>
  ({ parameters, sizeOf }) => {
    const compared = priceOf(2 * LONGEST_ADDRESS_BYTES, TEXT_PRICE);
    const masked = isRange ? priceOf(LONGEST_ADDRESS_BYTES, TEXT_PRICE) + 1 : 0;
    const parseCost = parameters[1]?.kind === 'string' ? priceOf(sizeOf(1).max, TEXT_PRICE) : 0;
    return { cost: compared + masked + parseCost };
  };

const entriesFor = (names: string, rule: CostRule): [string, CostRule][] =>
  names.split(' ').map((name) => [name, rule]);

/** Costs of Kubernetes' functions and of those on strings, by name. */
export const FUNCTION_COSTS: ReadonlyMap<string, CostRule> = new Map<string, CostRule>([
  ['check', () => ({ cost: CHECK_COST })],
  ...entriesFor('serviceAccount path group resource subresource namespace name allowed', nominal),
  ...entriesFor('reason error errored', nominal),
  ...entriesFor('isSorted sum max min indexOf lastIndexOf', listCost),
  ...entriesFor('url lowerAscii upperAscii substring trim', sameText),
  [
    'replace',
    ({ sizeOf }) => ({
      cost: priceOf(sizeOf(0).max, 2 * TEXT_PRICE),
      size: replacedSize(sizeOf(0), sizeOf(1), sizeOf(2)),
    }),
  ],
  ['split', splitCost],
  ['join', joinCost],
  ...entriesFor('find findAll', (call) => ({
    ...patternCost(call),
    size: { min: 0, max: call.sizeOf(0).max },
  })),
  ...entriesFor('cidr isIP isCIDR quantity isQuantity semver isSemver', through(0)),
  ['ip', (call) => (call.form.isMethod ? NOMINAL : through(0)(call))],
  ['ip.isCanonical', through(0, 2)],
  ...entriesFor('masked prefixLength family isUnspecified isLoopback', nominal),
  ...entriesFor('isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast', nominal),
  ['containsIP', containedCost(false)],
  ['containsCIDR', containedCost(true)],
  [
    'validate',
    ({ sizeOf }) => ({
      cost: priceOf(priceOf(sizeOf(1).max, TEXT_PRICE), LONGEST_NAME_PATTERN * 0.25),
    }),
  ],
  ...entriesFor('format.named sign asInteger isInteger asApproximateFloat isGreaterThan', nominal),
  ...entriesFor('isLessThan compareTo add sub major minor patch', nominal),
  ...entriesFor('getScheme getHostname getHost getPort getEscapedPath getQuery', nominal),
]);
