import type { ASTNode } from '@marcbachmann/cel-js';
import {
  type Compile,
  type Context,
  type Expression,
  type Scope,
  withVariable,
} from './expression.ts';
import { CompileFailure, noSuchOverload } from './failure.ts';
import type { LoopShape } from './fold-forms.ts';
import { type CelType, DYN, INT, typeText } from './types.ts';
import { ListValue, MapValue, type Value } from './values.ts';

/** A loop that has begun: how many steps it has, and how to enter each. */
export interface OpenLoop {
  readonly size: number;
  readonly enter: (index: number) => void;
}

/** A loop over a list or a map, with one variable or two, and the expressions evaluated in its steps. */
export interface Loop extends LoopShape {
  readonly range: Expression;
  readonly bodies: readonly Expression[];
  /** The type of what the loop counts by: the index of a list, the key of a map. */
  readonly keyType: CelType;
  /** Evaluates the range; each step then costs the given amount. */
  readonly open: (scope: Scope, stepCost: number) => OpenLoop;
}

interface RangeTypes {
  readonly key: CelType;
  readonly value: CelType;
}

const rangeTypes = ({ type }: Expression, position: number): RangeTypes => {
  switch (type.kind) {
    case 'list':
      return { key: INT, value: type.item };
    case 'map':
      return { key: type.key, value: type.value };
    case 'dyn':
      return { key: DYN, value: DYN };
    default:
      throw new CompileFailure(
        `expression of type '${typeText(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        position,
      );
  }
};

export const variableName = (node: ASTNode | undefined): string => {
  if (node?.op === 'id') return node.args;
  throw new CompileFailure('argument must be a simple name', node?.pos ?? 0);
};

interface Steps {
  readonly keys: readonly Value[];
  readonly values: readonly Value[];
}

/** With one variable, a loop meets the elements of a list but the keys of a map. */
const stepsOf = (range: Value, hasTwoVariables: boolean): Steps => {
  if (range instanceof ListValue) {
    const keys = hasTwoVariables ? range.items.map((_, index) => BigInt(index)) : range.items;
    return { keys, values: range.items };
  }
  if (range instanceof MapValue) {
    const values = hasTwoVariables ? [...range.entries.values()] : [];
    return { keys: [...range.entries.keys()], values };
  }
  throw noSuchOverload();
};

export const compileLoop = (
  range: Expression,
  names: readonly ASTNode[],
  bodies: readonly ASTNode[],
  position: number,
  context: Context,
  compile: Compile,
): Loop => {
  const hasTwo = names.length === 2;
  const { key, value } = rangeTypes(range, position);
  const slot = context.nextSlot;
  const isListOfOne = range.type.kind === 'list' && !hasTwo;
  let inner = withVariable(context, variableName(names[0]), isListOfOne ? value : key);
  if (hasTwo) inner = withVariable(inner, variableName(names[1]), value);
  return {
    range,
    names: names.map(variableName),
    bodies: bodies.map((body) => compile(body, inner)),
    keyType: key,
    open: (scope, stepCost) => {
      const { keys, values } = stepsOf(range.run(scope), hasTwo);
      return {
        size: keys.length,
        enter: (index) => {
          scope.budget.spend(stepCost);
          scope.slots[slot] = keys[index] ?? null;
          if (hasTwo) scope.slots[slot + 1] = values[index] ?? null;
        },
      };
    },
  };
};
