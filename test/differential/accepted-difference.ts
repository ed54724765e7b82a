import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import type { Difference } from './difference.ts';
import type { Operation } from './operation.ts';

/** Context of a difference. */
export interface Situation {
  /** The operations of the sequence before it. */
  readonly before: readonly Operation[];
  /** The object as the server that is looked at last showed it, before the operation. */
  readonly live?: JsonObject;
  /** The whole answer of each server. */
  readonly left: JsonValue;
  readonly right: JsonValue;
  /** Everything in which the two differ. */
  readonly differences: readonly Difference[];
}

/** A kind of difference that is known and meant. */
export interface AcceptedDifference {
  readonly why: string;
  readonly covers: (
    about: Operation | string,
    difference: Difference,
    situation: Situation,
  ) => boolean;
  /** Set when everything after it differs too. */
  readonly parts?: boolean;
}

/** Text of one server's side of a difference, to search it for words. */
export const textOf = (value: Difference['left']): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
};

/** Number of the version, in a sequence, that a difference shows. */
export const versionIn = (value: Difference['left']): number =>
  Number(/^<version (\d+)>$/.exec(textOf(value))?.[1]);

/** The field of an object, if it is one and has it. */
export const fieldOf = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) ? value[name] : undefined;

/** True if two operations are about the same object of a sequence. */
export const isSameObject = (one: Operation, other: Operation): boolean => {
  const slotOf = ({ generatesName, slot }: Operation) => (generatesName ? 'g' : slot);
  return one.kind === other.kind && slotOf(one) === slotOf(other);
};
