import type { ASTNode } from '@marcbachmann/cel-js';
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { toMapKey } from './access.ts';
import type { Expression } from './expression.ts';
import { CelFailure, CompileFailure } from './failure.ts';
import { type CelType, commonType, DYN, listOf, mapOf, typeText } from './types.ts';
import { ListValue, type MapKey, MapValue, typeOf, Uint, type Value } from './values.ts';

const LIST_COST = 10;
const MAP_COST = 30;
const LEAST_INT = -(2n ** 63n);
const MOST_INT = 2n ** 63n - 1n;

export const literal = (value: Value): Expression => ({
  type: typeOf(value),
  form: { kind: 'literal', value },
  run: () => value,
  literal: value,
});

export const intLiteral = (value: bigint, position: number): Expression => {
  if (value >= LEAST_INT && value <= MOST_INT) return literal(value);
  throw new CompileFailure('invalid int literal', position);
};

/** The expression of a literal that the parser read. */
export const compileLiteral = (value: unknown, position: number): Expression => {
  if (typeof value === 'bigint') return intLiteral(value, position);
  if (value instanceof UnsignedInt) return literal(new Uint(value.valueOf()));
  return literal(value as Value);
};

/** The elements of a literal must all have one type; only what `format` gets may be mixed. */
export const commonTypeOf = (parts: readonly Expression[], nodes: readonly ASTNode[]): CelType => {
  let [type = DYN] = parts.map((part) => part.type);
  for (const [index, part] of parts.entries()) {
    const common = commonType(type, part.type);
    if (common === undefined) {
      throw new CompileFailure(
        `expected type '${typeText(type)}' but found '${typeText(part.type)}'`,
        nodes[index]?.pos ?? 0,
      );
    }
    type = common;
  }
  return type;
};

/** A list of expressions that all have the given type. */
export const listExpression = (items: readonly Expression[], type: CelType): Expression => ({
  type: listOf(type),
  form: { kind: 'list', items },
  run: (scope) => {
    scope.budget.spend(LIST_COST);
    return new ListValue(items.map(({ run }) => run(scope)));
  },
});

/** A map; its keys and its values stand in the same order. */
export const mapExpression = (
  keys: readonly Expression[],
  values: readonly Expression[],
  type: { readonly key: CelType; readonly value: CelType },
): Expression => ({
  type: mapOf(type.key, type.value),
  form: { kind: 'map', keys, values },
  run: (scope) => {
    scope.budget.spend(MAP_COST);
    const entries = new Map<MapKey, Value>();
    for (const [index, key] of keys.entries()) {
      const mapKey = toMapKey(key.run(scope));
      if (mapKey === undefined) throw new CelFailure('unsupported key type');
      entries.set(mapKey, values[index]?.run(scope) ?? null);
    }
    return new MapValue(entries);
  },
});
