import type { JsonObject } from '@perigee/schema/json';
import type { Attributes } from './attributes.ts';

/** A policy or webhook that may change an object before it is stored. */
export interface Mutator {
  /** True if it wants to see what others changed after it. */
  readonly isReinvoked: boolean;
  /** The request with the mutated object; the same request without a change; undefined if it does not match. */
  mutate(attributes: Attributes): Promise<Attributes | undefined>;
}

/**
 * Runs all mutators one after the other. Those with reinvocation run once more at the end, if later ones changed
 * the object.
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
