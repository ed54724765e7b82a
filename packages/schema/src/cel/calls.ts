import { toPattern } from '../pattern.ts';
import { Budget } from './budget.ts';
import type { Expression, Run } from './expression.ts';
import { BudgetExceeded, CelFailure, CompileFailure, noSuchOverload } from './failure.ts';
import { FUNCTIONS } from './functions.ts';
import type { Overload } from './signature.ts';
import { accepts, type CelType, DYN, substitute, typeText } from './types.ts';
import { typeOf, type Value } from './values.ts';

interface Candidate {
  readonly overload: Overload;
  readonly result: CelType;
}

export const isFunction = (name: string): boolean => FUNCTIONS.has(name);

const signatureText = (isMethod: boolean, types: readonly CelType[]): string => {
  const [receiver, ...rest] = types.map(typeText);
  return isMethod ? `${receiver}.(${rest.join(', ')})` : `(${types.map(typeText).join(', ')})`;
};

const candidatesOf = (
  name: string,
  isMethod: boolean,
  types: readonly CelType[],
  position: number,
): readonly Candidate[] => {
  const overloads = FUNCTIONS.get(name);
  if (overloads === undefined) {
    throw new CompileFailure(`undeclared reference to '${name}' (in container '')`, position);
  }
  const candidates = overloads.flatMap((overload): Candidate[] => {
    const { parameters } = overload;
    if (overload.isMethod !== isMethod || parameters.length !== types.length) return [];
    const bindings = new Map<string, CelType>();
    const fits = parameters.every((parameter, index) =>
      accepts(parameter, types[index] ?? DYN, bindings),
    );
    return fits ? [{ overload, result: substitute(overload.result, bindings) }] : [];
  });
  if (candidates.length === 0) {
    const givenSignature = signatureText(isMethod, types);
    throw new CompileFailure(
      `found no matching overload for '${name}' applied to '${givenSignature}'`,
      position,
    );
  }
  return candidates;
};

/** True if the fit of a value shows only at runtime. */
const isOpen = (parameter: CelType, argument: CelType): boolean => {
  if (parameter.kind === 'dyn' || parameter.kind === 'param') return false;
  if (argument.kind === 'dyn' || argument.kind === 'null') return true;
  return (
    parameter.kind === 'list' && argument.kind === 'list' && isOpen(parameter.item, argument.item)
  );
};

/** A list of anything may turn out to be a list of what is wanted. */
const fitsValue = (parameter: CelType, value: Value): boolean => {
  if (!accepts(parameter, typeOf(value))) return false;
  if (
    parameter.kind !== 'list' ||
    !(typeof value === 'object' && value !== null && 'items' in value)
  ) {
    return true;
  }
  return value.items.every((item) => fitsValue(parameter.item, item));
};

const runOverload = ({ run, cost }: Overload, args: readonly Run[]): Run => {
  const [first, second, third] = args;
  if (first === undefined) {
    return ({ budget }) => {
      budget.spend(1);
      return run(budget);
    };
  }
  if (second === undefined) {
    return (scope) => {
      const a = first(scope);
      scope.budget.spend(cost === undefined ? 1 : cost(a));
      return run(a, scope.budget);
    };
  }
  if (third === undefined) {
    return (scope) => {
      const a = first(scope);
      const b = second(scope);
      scope.budget.spend(cost === undefined ? 1 : cost(a, b));
      return run(a, b, scope.budget);
    };
  }
  return (scope) => {
    const values = args.map((arg) => arg(scope));
    scope.budget.spend(cost === undefined ? 1 : cost(...values));
    return run(...values, scope.budget);
  };
};

/** Chooses the overload when the values are there, as their types were not known before. */
const runDynamic =
  (candidates: readonly Candidate[], args: readonly Run[]): Run =>
  (scope) => {
    const values = args.map((arg) => arg(scope));
    const match = candidates.find(({ overload }) =>
      overload.parameters.every((parameter, index) => fitsValue(parameter, values[index] ?? null)),
    );
    if (match === undefined) throw noSuchOverload();
    const { run, cost } = match.overload;
    scope.budget.spend(cost === undefined ? 1 : cost(...values));
    return run(...values, scope.budget);
  };

/** Functions that always fail for a literal that they cannot read; reported when the rule is written. */
const STRICT = new Set(['int', 'uint', 'double', 'bool', 'duration', 'timestamp']);
const PATTERN_FUNCTIONS = new Set(['matches', 'find', 'findAll']);

/** A call whose arguments are all literals is evaluated once, and is a literal from then on. */
const fold = (
  name: string,
  expression: Expression,
  args: readonly Expression[],
  position: number,
): Expression => {
  const isConstant = args.length > 0 && args.every(({ literal }) => literal !== undefined);
  if (!isConstant || !/^[a-z]/i.test(name) || name === 'dyn') return expression;
  const budget = new Budget();
  budget.startCall();
  try {
    const literal = expression.run({ budget, slots: [] });
    return { ...expression, run: () => literal, literal };
  } catch (failure) {
    if (failure instanceof CelFailure && STRICT.has(name)) {
      throw new CompileFailure(`invalid ${name} argument: ${failure.message}`, position);
    }
    if (failure instanceof CelFailure || failure instanceof BudgetExceeded) return expression;
    throw failure;
  }
};

/** An invalid pattern is an error of the rule when it is compiled, even if the text is not known then. */
const checkPattern = (name: string, args: readonly Expression[], position: number): void => {
  const source = args[1]?.literal;
  if (!PATTERN_FUNCTIONS.has(name) || typeof source !== 'string') return;
  const pattern = toPattern(source);
  if ('error' in pattern) {
    throw new CompileFailure(`invalid ${name} argument: ${pattern.error}`, position);
  }
};

/** Compiles a call of a function, a method or an operator; of a method, the receiver is the first argument. */
export const compileCall = (
  name: string,
  isMethod: boolean,
  args: readonly Expression[],
  position: number,
): Expression => {
  const types = args.map(({ type }) => type);
  const candidates = candidatesOf(name, isMethod, types, position);
  checkPattern(name, args, position);
  const [only, ...others] = candidates;
  const runs = args.map(({ run }) => run);
  const overloads = candidates.map(({ overload }) => overload.parameters);
  const form = { kind: 'call', name, isMethod, args, overloads } as const;
  const isKnown =
    others.length === 0 &&
    only?.overload.parameters.every((parameter, index) => !isOpen(parameter, types[index] ?? DYN));
  if (only !== undefined && isKnown) {
    const expression = { type: only.result, form, run: runOverload(only.overload, runs) };
    return fold(name, expression, args, position);
  }
  const results = new Map(candidates.map(({ result }) => [typeText(result), result]));
  const [result = DYN] = results.size === 1 ? results.values() : [];
  return { type: result, form, run: runDynamic(candidates, runs) };
};
