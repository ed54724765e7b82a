import { type Pattern, toPattern } from '../../pattern.ts';
import { patternCost } from '../budget.ts';
import { CelFailure } from '../failure.ts';
import { func, method, type Overload } from '../signature.ts';
import { ListValue } from '../values.ts';

const compiled = (source: string): Pattern => {
  const pattern = toPattern(source);
  if ('error' in pattern) throw new CelFailure(`Illegal regex: ${pattern.error}`);
  return pattern;
};

const matches = (text: string, source: string): boolean => compiled(source).matches(text);

const matchCost = (text: string, source: string): number => patternCost(text.length, source.length);

/** Finding the bounds of a match takes this many times as long as testing for one. */
const FIND_SLOWNESS = 5;
const findCost = (text: string, source: string): number => matchCost(text, source) * FIND_SLOWNESS;

export const PATTERNS: readonly Overload[] = [
  func('matches(string, string): bool', matches, matchCost),
  method('string', 'matches(string): bool', matches, matchCost),
  method(
    'string',
    'find(string): string',
    (text: string, source: string) => compiled(source).find(text),
    findCost,
  ),
  method(
    'string',
    'findAll(string): list<string>',
    (text: string, source: string) => new ListValue(compiled(source).findAll(text, -1)),
    findCost,
  ),
  method(
    'string',
    'findAll(string, int): list<string>',
    (text: string, source: string, most: bigint) =>
      new ListValue(compiled(source).findAll(text, Number(most))),
    findCost,
  ),
];
