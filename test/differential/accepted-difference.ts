import type { Difference } from './difference.ts';
import type { Operation } from './operation.ts';

/** A kind of difference that is known and meant. */
export interface AcceptedDifference {
  readonly why: string;
  readonly covers: (about: Operation | string, difference: Difference) => boolean;
  /** Set when everything after it differs too. */
  readonly parts?: boolean;
}

/** What one server has said, to look for words in it. */
export const textOf = (value: Difference['left']): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
};

/** Which of the versions of a sequence a difference shows. */
export const versionIn = (value: Difference['left']): number =>
  Number(/^<version (\d+)>$/.exec(textOf(value))?.[1]);
