import type { JsonObject } from '@perigee/schema/json';

/** The words that Karmada had for the same before, and accepted up to 1.18. */
const FORMER_WORDS = new Map([
  ['Immediately', 'Directly'],
  ['Graciously', 'Gracefully'],
]);

/** The part with its purge mode in today's word; the very same when it is. */
export const normalisePurgeMode = (part: JsonObject): JsonObject => {
  const { purgeMode } = part;
  const word = typeof purgeMode === 'string' ? FORMER_WORDS.get(purgeMode) : undefined;
  return word === undefined ? part : { ...part, purgeMode: word };
};
