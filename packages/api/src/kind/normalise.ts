import type { JsonObject } from '../json.ts';
import type { Kind } from './define-kind.ts';
import { renameSpellings } from './rename-spellings.ts';

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
  return reshape ? reshape(renamed, old) : renamed;
};
