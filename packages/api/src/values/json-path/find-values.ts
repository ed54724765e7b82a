import { ParseError } from '@perigee/schema/errors';
import { isJsonObject, type JsonArray, type JsonValue } from '@perigee/schema/json';
import type { Operand, PathStep } from './parse-json-path.ts';

type Values = readonly JsonValue[];

const isList = (value: JsonValue): value is JsonArray => Array.isArray(value);

const childrenOf = (value: JsonValue): Values => {
  if (isList(value)) return value;
  if (!isJsonObject(value)) return [];
  return Object.values(value).filter((child) => child !== undefined);
};

const descend = (value: JsonValue, values: JsonValue[] = []): Values => {
  values.push(value);
  for (const child of childrenOf(value)) descend(child, values);
  return values;
};

const slice = (list: JsonArray, { start, end, step, isIndex }: PathStep & { type: 'slice' }) => {
  const fromEnd = (index: number): number => (index < 0 ? index + list.length : index);
  const first = fromEnd(start ?? 0);
  const last = isIndex ? first + 1 : fromEnd(end ?? list.length);
  // A range that reaches beyond the list is a mistake in Kubernetes, not a shorter range.
  if (first < 0 || last > list.length || step < 1) return [];
  return list.slice(first, Math.max(first, last)).filter((_, index) => index % step === 0);
};

const compare = (operator: string, left: JsonValue, right: JsonValue): boolean => {
  if (typeof left !== typeof right || left === null || right === null) return false;
  switch (operator) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '>':
      return left > right;
    case '<=':
      return left <= right;
    default:
      return left >= right;
  }
};

/** A path such as `..*..*` finds more than its square of what it is led through. */
const MOST_VALUES = 100_000;

class Search {
  #total = 0;

  find(path: readonly PathStep[], value: JsonValue): Values {
    let values: Values = [value];
    for (const step of path) {
      const next: JsonValue[] = [];
      for (const one of values) {
        for (const child of this.#follow(step, one)) next.push(child);
        this.#count(next.length);
      }
      this.#total += next.length;
      values = next;
    }
    return values;
  }

  #count(more: number): void {
    if (this.#total + more <= MOST_VALUES) return;
    throw new ParseError(`a path leads through more than ${MOST_VALUES} values: make it shorter`);
  }

  #follow(step: PathStep, value: JsonValue): Values {
    switch (step.type) {
      case 'field': {
        if (!isJsonObject(value) || !Object.hasOwn(value, step.name)) return [];
        const child = value[step.name];
        return child === undefined ? [] : [child];
      }
      case 'wildcard':
        return childrenOf(value);
      case 'descend':
        return descend(value);
      case 'slice':
        return isList(value) ? slice(value, step) : [];
      case 'union': {
        const valueLists = step.paths.map((path) => this.find(path, value));
        // An index beyond the list spoils the others too.
        return isList(value) && valueLists.some((values) => values.length === 0)
          ? []
          : valueLists.flat();
      }
      case 'filter':
        return isList(value) ? value.filter((item) => this.#passes(step, item)) : [];
    }
  }

  #passes({ left, comparison }: PathStep & { type: 'filter' }, item: JsonValue): boolean {
    const operand = this.#operand(left, item);
    if (operand === undefined) return false;
    if (comparison === undefined) return true;
    const other = this.#operand(comparison.right, item);
    return other !== undefined && compare(comparison.operator, operand, other);
  }

  #operand(operand: Operand, item: JsonValue): JsonValue | undefined {
    return 'path' in operand ? this.find(operand.path, item)[0] : operand.value;
  }
}

/** Everything that a path leads to, in order; nothing where it leads nowhere. Throws for too much. */
export const findValues = (path: readonly PathStep[], value: JsonValue): Values =>
  new Search().find(path, value);
