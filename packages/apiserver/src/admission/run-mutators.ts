import type { JsonObject } from '@perigee/schema/json';
import type { Attributes } from './attributes.ts';

/** Somebody who may change an object before it is stored. */
export interface Mutator {
  /** True if it wants to see what others changed after it. */
  readonly isReinvoked: boolean;
  /** The request with the object as it is to be; the same one without a change; undefined if it is about something else. */
  mutate(attributes: Attributes): Promise<Attributes | undefined>;
}

/**
 * Lets all of them change the object, one after the other. Those that want to see what others changed
 * after them are asked once more at the end, if something changed.
 */
export const runMutators = async (
  mutators: readonly Mutator[],
  attributes: Attributes,
): Promise<JsonObject | undefined> => {
  let current = attributes;
  const called: Mutator[] = [];
  const outdated = new Set<Mutator>();
  for (const mutator of mutators) {
    const next = await mutator.mutate(current);
    if (next === undefined) continue;
    if (next !== current) for (const earlier of called) outdated.add(earlier);
    if (mutator.isReinvoked) called.push(mutator);
    current = next;
  }
  for (const mutator of called) {
    if (!outdated.has(mutator)) continue;
    const next = (await mutator.mutate(current)) ?? current;
    // The mutators that ran before have not seen this change either.
    if (next !== current) for (const other of called) outdated.add(other);
    current = next;
  }
  return current.object;
};
