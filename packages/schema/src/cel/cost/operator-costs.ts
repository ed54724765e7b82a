import { type CallCost, type CallFacts, PATTERN_PRICE, TEXT_PRICE } from './cost-rule.ts';
import { plus, priceOf, times } from './size.ts';

/** Constant costs of comparing values of these types for equality. */
const EQUAL_COSTS: { readonly [type: string]: number } = {
  'net.IP': 1,
  'net.CIDR': 1,
  'kubernetes.Quantity': 1,
  'kubernetes.Semver': 1,
  // Their names have 64 characters at most.
  'kubernetes.NamedFormat': 7,
};

const equalCost = (call: CallFacts): CallCost => {
  const [left, right] = call.form.args.map(({ type }) => type);
  const isSame = left?.kind === 'opaque' && right?.kind === 'opaque' && left.name === right.name;
  if (isSame && call.form.name === '_==_') {
    const costOfType = EQUAL_COSTS[left.name];
    if (costOfType !== undefined) return { cost: costOfType };
    if (left.name === 'kubernetes.URL') {
      return { cost: priceOf(call.args[1]?.size?.max ?? 1, TEXT_PRICE) };
    }
  }
  return shorterCost(call);
};

const shorterCost = ({ sizeOf }: CallFacts): CallCost => ({
  cost: priceOf(Math.min(sizeOf(0).max, sizeOf(1).max), TEXT_PRICE),
});

const isText = ({ parameters: [first] }: CallFacts): boolean =>
  first?.kind === 'string' || first?.kind === 'bytes';

const addCost = (call: CallFacts): CallCost | undefined => {
  const size = plus(call.sizeOf(0), call.sizeOf(1));
  if (isText(call)) return { cost: priceOf(size.max, TEXT_PRICE), size };
  return call.parameters[0]?.kind === 'list' ? { cost: 1, size } : undefined;
};

/** Costs of CEL's own operators and functions that traverse strings or lists. */
export const operatorCost = (call: CallFacts): CallCost | undefined => {
  const { form, parameters, sizeOf } = call;
  switch (form.name) {
    case '_&&_':
    case '_||_':
      return { cost: 0 };
    case '_==_':
    case '_!=_':
      return equalCost(call);
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return isText(call) ? shorterCost(call) : undefined;
    case '_+_':
      return addCost(call);
    case '@in':
      return parameters[1]?.kind === 'list' ? { cost: sizeOf(1).max } : undefined;
    case 'startsWith':
    case 'endsWith':
      return { cost: priceOf(sizeOf(1).max, TEXT_PRICE) };
    case 'contains':
      return {
        cost: times(priceOf(sizeOf(0).max, TEXT_PRICE), priceOf(sizeOf(1).max, TEXT_PRICE)),
      };
    case 'matches':
      return form.isMethod ? patternCost(call) : undefined;
    case 'format':
      return { cost: priceOf(sizeOf(0).max, TEXT_PRICE) };
    case 'strings.quote': {
      const { min, max } = sizeOf(0);
      return { cost: priceOf(max, TEXT_PRICE), size: { min: min + 2, max: max * 2 + 2 } };
    }
    case 'bytes':
    case 'string':
      return conversionCost(call);
    default:
      return undefined;
  }
};

const conversionCost = ({ form, parameters: [from], sizeOf }: CallFacts): CallCost | undefined => {
  const { min, max } = sizeOf(0);
  const cost = priceOf(max, TEXT_PRICE);
  if (form.name === 'bytes' && from?.kind === 'string')
    return { cost, size: { min, max: max * 4 } };
  if (form.name === 'string' && from?.kind === 'bytes') {
    return { cost, size: { min: Math.floor(min / 4), max } };
  }
  return undefined;
};

/** The text, the end of it included, for each of the parts that the pattern has by its length. */
export const patternCost = ({ sizeOf }: CallFacts): CallCost => ({
  cost: times(priceOf(sizeOf(0).max + 1, TEXT_PRICE), priceOf(sizeOf(1).max, PATTERN_PRICE)),
});
