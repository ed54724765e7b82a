import type { Budget } from './budget.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from './types.ts';
import type { Value } from './values.ts';

/** The body of a function. It gets its arguments, of which a method's receiver is the first, and the budget. */
export type Implementation = (...args: never[]) => Value;

/** Cost of a call beyond the evaluation of its arguments. */
export type Cost = (...args: never[]) => number;

/** One signature of a function, with its body. */
export interface Overload {
  readonly name: string;
  readonly isMethod: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly run: (...args: (Value | Budget)[]) => Value;
  readonly cost: ((...args: Value[]) => number) | undefined;
}

const SIMPLE = new Map<string, CelType>([
  ['bool', BOOL],
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['null', NULL],
  ['timestamp', TIMESTAMP],
  ['duration', DURATION],
  ['type', TYPE],
  ['dyn', DYN],
]);

/** Splits at the commas that stand outside of angle brackets. */
const splitTypes = (text: string): string[] => {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '<') depth++;
    else if (text[index] === '>') depth--;
    else if (text[index] === ',' && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  if (text.trim() !== '') parts.push(text.slice(start));
  return parts.map((part) => part.trim());
};

/** Reads a type such as `list<string>`, `map<string, A>` or `Quantity`; one capital stands for any type. */
const parseType = (text: string): CelType => {
  const simple = SIMPLE.get(text);
  if (simple !== undefined) return simple;
  const [, outer, inner = ''] = /^(\w+)<(.*)>$/.exec(text) ?? [];
  const [first = DYN, second = DYN] = splitTypes(inner).map(parseType);
  switch (outer) {
    case 'list':
      return listOf(first);
    case 'map':
      return mapOf(first, second);
    case 'optional':
      return optionalOf(first);
    default:
      return /^[A-Z]$/.test(text) ? { kind: 'param', name: text } : opaque(text);
  }
};

const SIGNATURE = /^(.+?)\((.*)\): (.+)$/;

const overload = (
  receiver: string | undefined,
  signature: string,
  run: Implementation,
  cost: Cost | undefined,
): Overload => {
  const [, name = '', parameters = '', result = ''] = SIGNATURE.exec(signature) ?? [];
  if (name === '') throw new SyntaxError(`not a signature: ${signature}`);
  return {
    name,
    isMethod: receiver !== undefined,
    parameters: [...(receiver === undefined ? [] : [receiver]), ...splitTypes(parameters)].map(
      parseType,
    ),
    result: parseType(result),
    run: run as Overload['run'],
    cost: cost as Overload['cost'],
  };
};

/** A function, such as `size(string): int`. */
export const func = (signature: string, run: Implementation, cost?: Cost): Overload =>
  overload(undefined, signature, run, cost);

/** A function called on a value: `method('string', 'contains(string): bool', …)`. */
export const method = (
  receiver: string,
  signature: string,
  run: Implementation,
  cost?: Cost,
): Overload => overload(receiver, signature, run, cost);
