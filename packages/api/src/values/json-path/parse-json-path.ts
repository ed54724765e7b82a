import { ParseError } from '@perigee/schema/errors';
import { present } from '@perigee/schema/present';

/** One step of a path from a set of values to the next. */
export type PathStep =
  | { readonly type: 'field'; readonly name: string }
  /** All fields of an object, or all items of a list. */
  | { readonly type: 'wildcard' }
  /** The value itself and everything below it. */
  | { readonly type: 'descend' }
  | {
      readonly type: 'slice';
      readonly start?: number;
      readonly end?: number;
      readonly step: number;
      /** One index, counted from the end when negative, rather than a range. */
      readonly isIndex: boolean;
    }
  | { readonly type: 'union'; readonly paths: readonly (readonly PathStep[])[] }
  | {
      readonly type: 'filter';
      readonly left: Operand;
      /** Absent when the filter asks only whether the left side is there. */
      readonly comparison?: { readonly operator: string; readonly right: Operand };
    };

export type Operand =
  | { readonly path: readonly PathStep[] }
  | { readonly value: string | number | boolean };

const FIELD = /^\.((?:\\.|[^\\.,[\]$@{}\s])+)/;
const FILTER = /^\[\?\(((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^"')])*)\)\]/;
const BRACKETS = /^\[([^\]]*)\]/;
const KEY = /^'([^']*)'$/;
const SLICE = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)(.*)$/s;
const OPERATORS = ['==', '!=', '<', '>', '<=', '>='];
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/;

const wrong = (path: string, why: string): ParseError =>
  new ParseError(`${JSON.stringify(path)} is not a path: ${why}`);

const toOperand = (source: string): Operand => {
  const text = source.trim();
  if (text.startsWith('@')) return { path: parseSteps(text.slice(1)) };
  if (/^"(?:[^"\\]|\\.)*"$/.test(text) || /^'(?:[^'\\]|\\.)*'$/.test(text)) {
    return { value: text.slice(1, -1).replace(/\\(.)/g, '$1') };
  }
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  if (NUMBER.test(text)) return { value: Number(text) };
  if (text.startsWith('.')) return { path: parseSteps(text) };
  throw wrong(source, 'a filter compares fields, quoted texts, numbers, true and false');
};

const toFilter = (text: string): PathStep => {
  const [, left, operator = '', right] = COMPARISON.exec(text) ?? [];
  if (left === undefined || right === undefined) return { type: 'filter', left: toOperand(text) };
  if (right === '') throw wrong(text, 'a comparison has two sides');
  if (!OPERATORS.includes(operator)) throw wrong(text, `there is no operator ${operator}`);
  const comparison = { operator, right: toOperand(right) };
  return { type: 'filter', left: toOperand(left), comparison };
};

const optional = (text: string | undefined): number | undefined =>
  text === undefined || text === '' ? undefined : Number(text);

const toBrackets = (text: string): readonly PathStep[] => {
  if (text === '*') return [{ type: 'slice', step: 1, isIndex: false }];
  const key = KEY.exec(text)?.[1];
  // As in Kubernetes, dots in the quotes separate fields unless they are escaped.
  if (key !== undefined) return parseSteps(`.${key}`);
  if (text.includes(',')) {
    return [{ type: 'union', paths: text.split(',').map((part) => toBrackets(part.trim())) }];
  }
  const [match, start, end, step] = SLICE.exec(text) ?? [];
  if (match === undefined || match === '') throw wrong(text, 'this is no index of a list');
  const bounds = { start: optional(start), end: optional(end), step: optional(step) ?? 1 };
  return [{ type: 'slice', isIndex: !match.includes(':'), ...withoutUndefined(bounds) }];
};

const withoutUndefined = ({
  start,
  end,
  step,
}: {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number;
}) => ({ ...present({ start, end }), step });

const parseSteps = (path: string): readonly PathStep[] => {
  const steps: PathStep[] = [];
  let rest = path;
  const take = (length: number) => {
    rest = rest.slice(length);
  };
  while (rest !== '') {
    const [filterMatch, filter] = FILTER.exec(rest) ?? [];
    const [bracketMatch, brackets] = BRACKETS.exec(rest) ?? [];
    const [fieldMatch, field] = FIELD.exec(rest) ?? [];
    if (rest.startsWith('..')) {
      steps.push({ type: 'descend' });
      take(rest[2] === '[' ? 2 : 1);
    } else if (filterMatch !== undefined && filter !== undefined) {
      steps.push(toFilter(filter));
      take(filterMatch.length);
    } else if (bracketMatch !== undefined && brackets !== undefined) {
      steps.push(...toBrackets(brackets));
      take(bracketMatch.length);
    } else if (fieldMatch !== undefined && field !== undefined) {
      const name = field.replaceAll('\\', '');
      steps.push(field === '*' ? { type: 'wildcard' } : { type: 'field', name });
      take(fieldMatch.length);
    } else throw wrong(path, `${JSON.stringify(rest)} begins no field, index or filter`);
  }
  return steps;
};

/** Reads the JSON path of a printer column, such as `.status.conditions[?(@.type=="Ready")].status`. */
export const parseJsonPath = (path: string): readonly PathStep[] => {
  const relative = path.replace(/^\$/, '');
  if (relative === '' || relative === '.') throw wrong(path, 'it names no field');
  return parseSteps(relative);
};
