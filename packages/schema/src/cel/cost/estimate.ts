import { present } from '../../present.ts';
import { RESULT } from '../fold-forms.ts';
import type { CallForm, FoldForm, Shape } from '../shape.ts';
import type { CelType } from '../types.ts';
import { Duration, Timestamp, Uint, type Value } from '../values.ts';
import { type CallCost, type CallFacts, type Estimate, LIST_COST, NOMINAL } from './cost-rule.ts';
import { type DeclaredSize, sizeAt } from './declared-size.ts';
import { FUNCTION_COSTS } from './function-costs.ts';
import { LIST_FUNCTION_COSTS } from './list-function-costs.ts';
import { operatorCost } from './operator-costs.ts';
import {
  exactly,
  ONE,
  type Size,
  sizeOfType,
  times,
  UNKNOWN,
  union,
  unionOf,
  unionOfEntries,
} from './size.ts';

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
const callCost = (form: CallForm, args: readonly Estimate[], root: DeclaredSize): CallCost => {
  const sizeOf = (index: number): Size => args[index]?.size ?? UNKNOWN;
  const costs = form.overloads.map((parameters) =>
    costOf({ form, parameters, args, root, sizeOf }),
  );
  const sizes = costs.flatMap(({ size }) => (size === undefined ? [] : [size]));
  const [first, ...rest] = sizes;
  return {
    cost: Math.max(...costs.map(({ cost }) => cost)),
    ...present({ size: first && rest.reduce(union, first) }),
  };
};

type Local = Omit<Estimate, 'cost'>;

interface Scope {
  readonly root: DeclaredSize;
  readonly locals: ReadonlyMap<string, Local>;
  /** Estimates of the subexpressions, so that a shared one, such as the target of `optMap`, is estimated once. */
  readonly estimateByShape: Map<Shape, Estimate>;
}

const MAP_COST = 30;
const MESSAGE_COST = 40;

const sumOf = (estimates: readonly Estimate[]): number =>
  estimates.reduce((sum, { cost }) => sum + cost, 0);

const literalSize = (value: Value): Size | undefined => {
  if (typeof value === 'string') return exactly([...value].length);
  if (value instanceof Uint8Array) return exactly(value.length);
  const isScalar =
    value === null ||
    typeof value !== 'object' ||
    value instanceof Uint ||
    value instanceof Duration ||
    value instanceof Timestamp;
  return isScalar ? ONE : undefined;
};

const withLocal = (scope: Scope, name: string, local: Local): Scope => ({
  ...scope,
  locals: new Map(scope.locals).set(name, local),
  estimateByShape: new Map(),
});

const nameEstimate = (name: string, { type }: Shape, { root, locals }: Scope): Estimate => {
  const local = locals.get(name);
  const path = local === undefined ? [name] : local.path;
  const size = sizeAt(root, path) ?? sizeOfType(type) ?? local?.size;
  return { cost: 1, size, entry: local?.entry, path };
};

const HAS_FIELDS = new Set(['map', 'object', 'param']);

const selectEstimate = (target: Shape, field: string, { type }: Shape, scope: Scope): Estimate => {
  const { cost, path: before } = estimate(target, scope);
  const path = [...before, field];
  return {
    cost: cost + (HAS_FIELDS.has(target.type.kind) ? 1 : 0),
    size: sizeAt(scope.root, path) ?? sizeOfType(type),
    path,
  };
};

const indexEstimate = (target: Shape, key: Shape, { type }: Shape, scope: Scope): Estimate => {
  const of = estimate(target, scope);
  const path = [...of.path, target.type.kind === 'list' ? '@items' : '@values'];
  const size = of.entry?.value ?? sizeAt(scope.root, path) ?? sizeOfType(type);
  return { cost: of.cost + estimate(key, scope).cost + 1, size, path };
};

const sizesOf = (estimates: readonly Estimate[]): Size =>
  unionOf(estimates.map(({ size }) => size ?? UNKNOWN));

/** The variables of a step: with one only, it is the element of a list or the key of a map. */
const stepLocals = ({ range, names }: FoldForm, over: Estimate): readonly Local[] => {
  const container = over.entry?.container ?? range.type.kind;
  const isList = container === 'list';
  const at = (step: string, size: Size | undefined): Local => ({
    path: [...over.path, step],
    size,
  });
  const key = at(isList ? '@indices' : '@keys', over.entry?.key);
  const value = at(isList ? '@items' : '@values', over.entry?.value);
  return names.length === 2 ? [key, value] : [isList ? value : key];
};

const foldEstimate = (form: FoldForm, scope: Scope): Estimate => {
  const over = estimate(form.range, scope);
  const init = estimate(form.init, scope);
  const resultScope = withLocal(scope, RESULT, init);
  let inner = resultScope;
  for (const [at, local] of stepLocals(form, over).entries()) {
    inner = withLocal(inner, form.names[at] ?? '', local);
  }
  const step = estimate(form.step, inner);
  const stepCost = estimate(form.condition, inner).cost + step.cost;
  const count = over.size ?? UNKNOWN;
  const cost =
    over.cost + init.cost + estimate(form.result, resultScope).cost + times(count.max, stepCost);
  const isCollection = form.init.form.kind === 'list' || form.init.form.kind === 'map';
  return isCollection
    ? { cost, size: count, entry: step.entry, path: [] }
    : { cost, size: init.size, path: [] };
};

const bindEstimate = (name: string, init: Shape, result: Shape, scope: Scope): Estimate => {
  const initCost = estimate(init, scope);
  const { cost, size, entry } = estimate(result, withLocal(scope, name, initCost));
  // It is a loop over an empty list, too.
  return { cost: LIST_COST + initCost.cost + cost, size, entry, path: [] };
};

const callEstimate = (form: CallForm, type: CelType, scope: Scope): Estimate => {
  const { name, args } = form;
  const argumentCosts = args.map((arg) => estimate(arg, scope));
  const [first, second, third] = argumentCosts;
  if (name === 'dyn' && first) return { ...first, cost: first.cost + 1, path: [] };
  if (name === '_?_:_' && first && second && third) {
    return {
      cost: first.cost + Math.max(second.cost, third.cost),
      size: union(second.size ?? UNKNOWN, third.size ?? UNKNOWN),
      entry: unionOfEntries(second.entry, third.entry),
      path: [],
    };
  }
  const { cost, size } = callCost(form, argumentCosts, scope.root);
  const entry = name === '_+_' ? unionOfEntries(first?.entry, second?.entry) : undefined;
  return { cost: sumOf(argumentCosts) + cost, size: size ?? sizeOfType(type), entry, path: [] };
};

const estimate = (shape: Shape, scope: Scope): Estimate => {
  const estimateOfShape = scope.estimateByShape.get(shape) ?? freshEstimate(shape, scope);
  scope.estimateByShape.set(shape, estimateOfShape);
  return estimateOfShape;
};

const freshEstimate = (shape: Shape, scope: Scope): Estimate => {
  const { form, type } = shape;
  switch (form.kind) {
    case 'literal':
      return { cost: 0, size: literalSize(form.value), path: [] };
    case 'name':
      return nameEstimate(form.name, shape, scope);
    case 'select':
      return selectEstimate(form.target, form.field, shape, scope);
    case 'has':
      return { cost: estimate(form.target, scope).cost, size: sizeOfType(type), path: [] };
    case 'index':
      return indexEstimate(form.target, form.key, shape, scope);
    case 'list': {
      const items = form.items.map((item) => estimate(item, scope));
      const entry = { container: 'list', key: ONE, value: sizesOf(items) } as const;
      return { cost: sumOf(items) + LIST_COST, size: exactly(items.length), entry, path: [] };
    }
    case 'map': {
      const keys = form.keys.map((key) => estimate(key, scope));
      const values = form.values.map((value) => estimate(value, scope));
      const entry = { container: 'map', key: sizesOf(keys), value: sizesOf(values) } as const;
      const cost = sumOf(keys) + sumOf(values) + MAP_COST;
      return { cost, size: exactly(keys.length), entry, path: [] };
    }
    case 'message': {
      const values = form.values.map((value) => estimate(value, scope));
      return { cost: sumOf(values) + MESSAGE_COST, size: undefined, path: [] };
    }
    case 'call':
      return callEstimate(form, type, scope);
    case 'fold':
      return foldEstimate(form, scope);
    case 'bind':
      return bindEstimate(form.name, form.init, form.result, scope);
  }
};

/** Upper bound of the cost of an expression about a value of this size. */
export const estimateCost = (shape: Shape, root: DeclaredSize): number =>
  estimate(shape, { root, locals: new Map(), estimateByShape: new Map() }).cost;
