import fc from 'fast-check';
import { Foretold } from './foretell.ts';
import { type ForetoldPlane, startForetoldPlane } from './foretold-plane.ts';
import { randomChange, randomFleet } from './random-fleet.ts';

/** So many fleets come and go in one control plane. */
const IN_ONE_PLANE = 50;

/** Control planes in which many fleets come and go, one after the other. */
class Planes implements AsyncDisposable {
  #plane: ForetoldPlane | undefined;
  #used = 0;

  async next(): Promise<ForetoldPlane> {
    if (this.#used === IN_ONE_PLANE) await this[Symbol.asyncDispose]();
    this.#plane ??= await startForetoldPlane();
    this.#used += 1;
    return this.#plane;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#plane?.[Symbol.asyncDispose]();
    this.#plane = undefined;
    this.#used = 0;
  }
}

/**
 * Plays random fleets. Something happens in each, and must be what was foretold; then the best suggestion is followed
 * for the first work that does not run, and must make it run. Tells how often there was such work.
 * @param part Each part has fleets of its own.
 */
export const checkFleets = async (count: number, part = 0): Promise<number> => {
  const { seed = 0 } = fc.readConfigureGlobal();
  await using planes = new Planes();
  let followCount = 0;
  await fc.assert(
    fc.asyncProperty(randomFleet, randomChange, async (fleet, change) => {
      const foretold = new Foretold(await planes.next(), fleet);
      await foretold.begin();
      await foretold.check(change);
      if (await foretold.checkSuggestion()) followCount += 1;
      await foretold.end();
    }),
    // A failed run leaves its fleet behind, which would make further ones fail.
    { numRuns: count, seed: seed + part, endOnFailure: true },
  );
  return followCount;
};
