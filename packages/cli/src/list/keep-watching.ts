import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ConnectionError, isGone } from '@perigee/kube/errors';

/** A list whose changes are followed. */
export interface Followed<T> {
  /** Watches from a resource version until the server ends the watch. */
  watch(version: string): AsyncIterable<T>;
  /** Handles an event; returns its resource version, if it has one. */
  take(change: T): Promise<string | undefined>;
  /** Relists after a break; returns the resource version to watch from. */
  lookAgain(): Promise<string>;
}

const REST_AFTER_BREAK_MS = 1_000;

/** Follows changes until the process is stopped, reconnecting when the server ends the watch or the network fails. */
export const keepWatching = async <T>(followed: Followed<T>, from: string): Promise<never> => {
  for (let version = from; ; ) {
    try {
      for await (const change of followed.watch(version)) {
        version = (await followed.take(change)) ?? version;
      }
    } catch (error) {
      if (!isGone(error) && !(error instanceof ConnectionError)) throw error;
      await clock.sleep(REST_AFTER_BREAK_MS);
      version = await followed.lookAgain();
    }
  }
};
