import type { ASTNode } from '@marcbachmann/cel-js';
import { compileHas } from './access.ts';
import {
  existsOne,
  mapLoop,
  quantifier,
  sortBy,
  transformMap,
  transformMapEntry,
} from './comprehensions.ts';
import { type Compile, type Context, type Expression, withVariable } from './expression.ts';
import { CompileFailure, noSuchOverload } from './failure.ts';
import { mapOptionalForm } from './fold-forms.ts';
import { compileLoop, type Loop, variableName } from './loop.ts';
import { positionOf } from './position.ts';
import { callShape } from './shape.ts';
import { commonType, optionalOf, typeText } from './types.ts';
import { NONE, OptionalValue } from './values.ts';

/** A call whose arguments are not simply evaluated. */
interface MacroCall {
  /** Receiver of the call; undefined for a plain function. */
  readonly target: ASTNode | undefined;
  readonly args: readonly ASTNode[];
  readonly position: number;
  readonly context: Context;
  readonly compile: Compile;
}

type Macro = (call: MacroCall) => Expression;

const loopOf = (call: MacroCall, variables: number, bodies = call.args.slice(variables)): Loop => {
  const { target, args, position, context, compile } = call;
  if (target === undefined) throw new CompileFailure('a loop needs a range', position);
  const names = args.slice(0, variables);
  return compileLoop(compile(target, context), names, bodies, positionOf(target), context, compile);
};

const filter: Macro = (call) => {
  const [variable, test] = call.args;
  if (variable === undefined || test === undefined) {
    throw new CompileFailure('filter needs a variable and a condition', call.position);
  }
  return mapLoop(loopOf(call, 1, [test, variable]), call.position);
};

const optionalTarget = ({ target, position, context, compile }: MacroCall) => {
  const expression = target && compile(target, context);
  if (expression?.type.kind !== 'optional' && expression?.type.kind !== 'dyn') {
    throw new CompileFailure('the call needs an optional', position);
  }
  const { type, run } = expression;
  return {
    shape: expression,
    type: type.kind === 'optional' ? type.of : type,
    run: (scope: Parameters<typeof run>[0]): OptionalValue => {
      const value = run(scope);
      if (!(value instanceof OptionalValue)) throw noSuchOverload();
      return value;
    },
  };
};

/** `or` and `orValue`: the argument is evaluated only when there is need of it. */
const otherwise =
  (isValue: boolean): Macro =>
  (call) => {
    const { args, position, context, compile } = call;
    const optional = optionalTarget(call);
    const [node] = args;
    const other = node && compile(node, context);
    const expectedType = isValue ? optional.type : optionalOf(optional.type);
    const type = other && commonType(expectedType, other.type);
    if (other === undefined || type === undefined) {
      const typeName = other === undefined ? '' : typeText(other.type);
      const name = isValue ? 'orValue' : 'or';
      throw new CompileFailure(
        `found no matching overload for '${name}' applied to '${typeText(optionalOf(optional.type))}.(${typeName})'`,
        position,
      );
    }
    return {
      ...callShape(isValue ? 'orValue' : 'or', type, [optional.shape, other], true),
      run: (scope) => {
        const optionalValue = optional.run(scope);
        if (optionalValue.value === undefined) return other.run(scope);
        return isValue ? optionalValue.value : optionalValue;
      },
    };
  };

/** `optMap` and `optFlatMap`: the expression is evaluated for a value that is there. */
const mapOptional =
  (isFlat: boolean): Macro =>
  (call) => {
    const { args, position, context, compile } = call;
    const optional = optionalTarget(call);
    const [name, node] = args;
    if (node === undefined) throw new CompileFailure('an expression is missing', position);
    const slot = context.nextSlot;
    const variable = variableName(name);
    const body = compile(node, withVariable(context, variable, optional.type));
    return {
      type: isFlat ? body.type : optionalOf(body.type),
      form: mapOptionalForm(optional.shape, optional.type, variable, body, isFlat),
      run: (scope) => {
        const { value } = optional.run(scope);
        if (value === undefined) return NONE;
        scope.slots[slot] = value;
        const result = body.run(scope);
        return isFlat ? result : new OptionalValue(result);
      },
    };
  };

const all: Macro = (call) => quantifier(loopOf(call, call.args.length - 1), false, call.position);
const exists: Macro = (call) => quantifier(loopOf(call, call.args.length - 1), true, call.position);
const oneExists: Macro = (call) => existsOne(loopOf(call, call.args.length - 1), call.position);

/** By name, and by the number of arguments. */
const METHODS = new Map<string, Macro>([
  ['all 2', all],
  ['all 3', all],
  ['exists 2', exists],
  ['exists 3', exists],
  ['exists_one 2', oneExists],
  ['existsOne 2', oneExists],
  ['existsOne 3', oneExists],
  ['filter 2', filter],
  ['map 2', (call) => mapLoop(loopOf(call, 1), call.position)],
  ['map 3', (call) => mapLoop(loopOf(call, 1), call.position)],
  ['transformList 3', (call) => mapLoop(loopOf(call, 2), call.position)],
  ['transformList 4', (call) => mapLoop(loopOf(call, 2), call.position)],
  ['transformMap 3', (call) => transformMap(loopOf(call, 2), call.position)],
  ['transformMap 4', (call) => transformMap(loopOf(call, 2), call.position)],
  ['transformMapEntry 3', (call) => transformMapEntry(loopOf(call, 2), call.position)],
  ['transformMapEntry 4', (call) => transformMapEntry(loopOf(call, 2), call.position)],
  ['sortBy 2', (call) => sortBy(loopOf(call, 1))],
  ['or 1', otherwise(false)],
  ['orValue 1', otherwise(true)],
  ['optMap 2', mapOptional(false)],
  ['optFlatMap 2', mapOptional(true)],
]);

const FUNCTIONS = new Map<string, Macro>([
  [
    'has 1',
    ({ args, position, context, compile }) => compileHas(args[0], position, context, compile),
  ],
]);

/** The macro of this name for a call on a value, or for a plain call. */
export const macroFor = (name: string, count: number, isMethod: boolean): Macro | undefined =>
  (isMethod ? METHODS : FUNCTIONS).get(`${name} ${count}`);
