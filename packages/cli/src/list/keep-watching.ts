import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { isGone } from '@perigee/kube/errors';
import { isAway, whenThere } from '../output/when-there.ts';

/** A list whose changes are followed. */
export interface Followed<T> {
  /** Watches from a resource version until the server ends the watch. */
  watch(version: string): AsyncIterable<T>;
  /** Handles an event; returns its resource version, if it has one. */
  take(change: T): Promise<string | undefined>;
  /** Relists after a break; returns the resource version to watch from. */
  readonly lookAgain: () => Promise<string>;
}

const REST_MS = 1_000;

/** Follows changes until the process is stopped, reconnecting when the server ends the watch or the network fails. */
export const keepWatching = async <T>(followed: Followed<T>, from: string): Promise<never> => {
  for (let version = from; ; ) {
    try {
      let isQuiet = true;
      for await (const change of followed.watch(version)) {
        isQuiet = false;
        version = (await followed.take(change)) ?? version;
      }
      // One that ends every watch at once must not be asked without a pause.
      if (isQuiet) await clock.sleep(REST_MS);
    } catch (error) {
      if (!isGone(error) && !isAway(error)) throw error;
      await clock.sleep(REST_MS);
      version = await whenThere(followed.lookAgain);
    }
  }
};
