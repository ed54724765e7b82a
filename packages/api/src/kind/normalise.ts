import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type { Kind } from './define-kind.ts';
import { renameSpellings } from './rename-spellings.ts';

/** The reshaped object with those parts of the given one that are equal, so that their identity shows it. */
const sharing = (original: JsonObject, reshaped: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(reshaped).map(([name, part]) => [
      name,
      sameJson(part, original[name]) ? original[name] : part,
    ]),
  );

/**
 * Brings an object, in whatever accepted spelling, to the one canonical form that is stored.
 * Pure. Throws `InvalidObjectError` when two spellings contradict each other.
 */
export const normalise = (
  kind: Pick<Kind, 'definition' | 'schema'>,
  input: JsonObject,
  old?: JsonObject,
): JsonObject => {
  const { otherSpellings, normalise: reshape } = kind.definition;
  const renamed = otherSpellings ? renameSpellings(input, old, kind.schema, otherSpellings) : input;
  const reshaped = reshape ? reshape(renamed, old) : renamed;
  return reshaped === renamed ? renamed : sharing(renamed, reshaped);
};
