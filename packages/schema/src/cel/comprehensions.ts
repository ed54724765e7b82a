import { toMapKey } from './access.ts';
import { compare } from './equality.ts';
import type { Expression, Run, Scope } from './expression.ts';
import { CelFailure, CompileFailure, noSuchOverload } from './failure.ts';
import { existsOneForm, listForm, mapForm, quantifierForm, sortForm } from './fold-forms.ts';
import { sortCost } from './library/lists.ts';
import { attempt, decide } from './logic.ts';
import type { Loop } from './loop.ts';
import { BOOL, type CelType, DYN, listOf, mapOf, typeText } from './types.ts';
import { ListValue, type MapKey, MapValue, type Value } from './values.ts';

/** Costs of a step beyond its own expressions: to test a condition, or to extend a list. */
const TEST_COST = 3;
const BUILD_COST = 12;

const testOf = (body: Expression | undefined, position: number): Run => {
  const type = body?.type ?? DYN;
  if (body !== undefined && (type.kind === 'bool' || type.kind === 'dyn')) return body.run;
  throw new CompileFailure(`expected type 'bool' but found '${typeText(type)}'`, position);
};

const isTrue = (test: Run, scope: Scope): boolean => {
  const value = test(scope);
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
};

/** `all` and `exists`: the first step that decides ends the loop. */
export const quantifier = (loop: Loop, decisive: boolean, position: number): Expression => {
  const test = testOf(loop.bodies[0], position);
  return {
    type: BOOL,
    form: quantifierForm(loop, decisive),
    run: (scope) => {
      const { size, enter } = loop.open(scope, TEST_COST);
      const outcomeAt = (index: number): boolean | CelFailure => {
        enter(index);
        return attempt(test, scope);
      };
      return decide(size, outcomeAt, decisive);
    },
  };
};

export const existsOne = (loop: Loop, position: number): Expression => {
  const test = testOf(loop.bodies[0], position);
  return {
    type: BOOL,
    form: existsOneForm(loop),
    run: (scope) => {
      const { size, enter } = loop.open(scope, TEST_COST);
      let count = 0;
      for (let index = 0; index < size; index++) {
        enter(index);
        if (isTrue(test, scope)) count++;
      }
      return count === 1;
    },
  };
};

/** Visits the steps that pass the filter; the last body of the loop is what a step makes. */
const forEachResult = (
  loop: Loop,
  scope: Scope,
  filter: Run | undefined,
  visit: (result: Value, index: number) => void,
): void => {
  const { size, enter } = loop.open(scope, BUILD_COST);
  const make = loop.bodies.at(-1);
  for (let index = 0; index < size; index++) {
    enter(index);
    if (filter === undefined || isTrue(filter, scope)) visit(make?.run(scope) ?? null, index);
  }
};

const filterOf = (loop: Loop, position: number): Run | undefined =>
  loop.bodies.length > 1 ? testOf(loop.bodies[0], position) : undefined;

const resultType = (loop: Loop): CelType => loop.bodies.at(-1)?.type ?? DYN;

/** `map`, `filter` and `transformList`: a list of what the last body makes in the steps that the first lets pass. */
export const mapLoop = (loop: Loop, position: number): Expression => {
  const filter = filterOf(loop, position);
  return {
    type: listOf(resultType(loop)),
    form: listForm(loop),
    run: (scope) => {
      const items: Value[] = [];
      forEachResult(loop, scope, filter, (result) => items.push(result));
      return new ListValue(items);
    },
  };
};

const keysOf = (range: Value): readonly Value[] => {
  if (range instanceof MapValue) return [...range.entries.keys()];
  return range instanceof ListValue ? range.items.map((_, index) => BigInt(index)) : [];
};

/** `transformMap`: the keys stay, the values are made anew. */
export const transformMap = (loop: Loop, position: number): Expression => {
  const filter = filterOf(loop, position);
  const type = mapOf(loop.keyType, resultType(loop));
  return {
    type,
    form: mapForm(loop, type, loop.keyType),
    run: (scope) => {
      const keys = keysOf(loop.range.run(scope));
      const entries = new Map<MapKey, Value>();
      forEachResult(loop, scope, filter, (result, index) => {
        const key = toMapKey(keys[index] ?? null);
        if (key !== undefined) entries.set(key, result);
      });
      return new MapValue(entries);
    },
  };
};

/** `transformMapEntry`: each step makes a map of its own, and all of them are put together. */
export const transformMapEntry = (loop: Loop, position: number): Expression => {
  const filter = filterOf(loop, position);
  const type = resultType(loop);
  if (type.kind !== 'map' && type.kind !== 'dyn') {
    throw new CompileFailure(`expected a map but found '${typeText(type)}'`, position);
  }
  return {
    type,
    form: mapForm(loop, type),
    run: (scope) => {
      const entries = new Map<MapKey, Value>();
      forEachResult(loop, scope, filter, (result) => {
        if (!(result instanceof MapValue)) throw noSuchOverload();
        for (const [key, value] of result.entries) {
          if (entries.has(key)) throw new CelFailure(`insert failed: key ${key} already exists`);
          entries.set(key, value);
        }
      });
      return new MapValue(entries);
    },
  };
};

/** `sortBy`: the elements in the order of what the body makes of them. */
export const sortBy = (loop: Loop): Expression => ({
  type: loop.range.type,
  form: sortForm(loop),
  run: (scope) => {
    const range = loop.range.run(scope);
    if (!(range instanceof ListValue)) throw noSuchOverload();
    const keys: Value[] = [];
    forEachResult(loop, scope, undefined, (key) => keys.push(key));
    scope.budget.spend(sortCost(new ListValue(keys)));
    const order = keys.map((_, index) => index);
    order.sort((a, b) => compare(keys[a] ?? null, keys[b] ?? null));
    return new ListValue(order.map((index) => range.items[index] ?? null));
  },
});
