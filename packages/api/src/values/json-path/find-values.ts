import { isJsonObject, type JsonArray, type JsonValue } from '../../json.ts';
import type { Operand, PathStep } from './parse-json-path.ts';

type Values = readonly JsonValue[];

const isList = (value: JsonValue): value is JsonArray => Array.isArray(value);

const childrenOf = (value: JsonValue): Values => {
  if (isList(value)) return value;
  if (!isJsonObject(value)) return [];
  return Object.values(value).filter((child) => child !== undefined);
};

const descend = (value: JsonValue): Values => [value, ...childrenOf(value).flatMap(descend)];

const slice = (list: JsonArray, { start, end, step, isIndex }: PathStep & { type: 'slice' }) => {
  const fromEnd = (index: number): number => (index < 0 ? index + list.length : index);
  const first = fromEnd(start ?? 0);
  const last = isIndex ? first + 1 : fromEnd(end ?? list.length);
  // A range that reaches beyond the list is a mistake in Kubernetes, not a shorter range.
  if (first < 0 || last > list.length || step < 1) return [];
  return list.slice(first, Math.max(first, last)).filter((_, index) => index % step === 0);
};

const operandOf = (operand: Operand, item: JsonValue): JsonValue | undefined =>
  'path' in operand ? findValues(operand.path, item)[0] : operand.value;

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

const passes = ({ left, comparison }: PathStep & { type: 'filter' }, item: JsonValue): boolean => {
  const found = operandOf(left, item);
  if (found === undefined) return false;
  if (comparison === undefined) return true;
  const other = operandOf(comparison.right, item);
  return other !== undefined && compare(comparison.operator, found, other);
};

const follow = (step: PathStep, value: JsonValue): Values => {
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
      const found = step.paths.map((path) => findValues(path, value));
      // An index beyond the list spoils the others too.
      return isList(value) && found.some((values) => values.length === 0) ? [] : found.flat();
    }
    case 'filter':
      return isList(value) ? value.filter((item) => passes(step, item)) : [];
  }
};

/** Everything that a path leads to, in order; nothing where it leads nowhere. */
export const findValues = (path: readonly PathStep[], value: JsonValue): Values =>
  path.reduce<Values>((values, step) => values.flatMap((one) => follow(step, one)), [value]);
