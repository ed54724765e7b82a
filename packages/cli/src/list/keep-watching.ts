import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { WatchTroubles } from '../output/watch-troubles.ts';
import { whenThere } from '../output/when-there.ts';

/** A list whose changes are followed. */
export interface Followed<T> {
  /** Watches from a resource version until the server ends the watch. */
  watch(version: string): AsyncIterable<T>;
  /** Handles an event; returns its resource version, if it has one. */
  take(change: T): Promise<string | undefined>;
  /** Relists after a break; returns the resource version to watch from. */
  readonly relist: () => Promise<string>;
}

const REST_MS = 1_000;

/** Follows changes until the process is stopped, reconnecting when the server ends the watch or the network fails. */
export const keepWatching = async <T>(followed: Followed<T>, from: string): Promise<never> => {
  const troubles = new WatchTroubles();
  for (let version = from; ; ) {
    troubles.begin();
    try {
      let isQuiet = true;
      for await (const change of followed.watch(version)) {
        isQuiet = false;
        troubles.clear();
        version = (await followed.take(change)) ?? version;
      }
      // One that ends every watch at once must not be asked without a pause.
      if (isQuiet) await clock.sleep(REST_MS);
    } catch (error) {
      await troubles.rest(error);
      version = await whenThere(followed.relist, () => troubles.clear());
    }
  }
};
