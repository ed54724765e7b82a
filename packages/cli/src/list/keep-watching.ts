import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ConnectionError, isGone } from '@perigee/kube/errors';

/** Something whose changes are followed. */
export interface Followed<T> {
  /** What changes after a version, until the server ends it. */
  watch(version: string): AsyncIterable<T>;
  /** Deals with a change; tells the version that it led to, if it does. */
  take(change: T): Promise<string | undefined>;
  /** Deals with whatever has changed meanwhile; tells the version from which on to watch. */
  lookAgain(): Promise<string>;
}

const REST_AFTER_BREAK_MS = 1_000;

/** Follows changes until the process is stopped: servers end watches now and then, and networks break. */
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
