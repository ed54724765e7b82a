import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError, ConnectionError, isGone } from '@perigee/kube/errors';
import { tell } from '../output/tell.ts';

/** A list whose changes are followed. */
export interface Followed<T> {
  /** Watches from a resource version until the server ends the watch. */
  watch(version: string): AsyncIterable<T>;
  /** Handles an event; returns its resource version, if it has one. */
  take(change: T): Promise<string | undefined>;
  /** Relists after a break; returns the resource version to watch from. */
  lookAgain(): Promise<string>;
}

const REST_MS = 1_000;

/** The server is away, or not ready yet. */
const isAway = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && error.code >= 500);

/** Looks again as soon as the server is there. */
const lookAgainWhenThere = async <T>(followed: Followed<T>): Promise<string> => {
  for (let failures = 0; ; failures += 1) {
    await clock.sleep(REST_MS);
    try {
      return await followed.lookAgain();
    } catch (error) {
      if (!isAway(error)) throw error;
      if (failures === 0) tell('the server does not answer; this goes on as soon as it does');
    }
  }
};

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
      version = await lookAgainWhenThere(followed);
    }
  }
};
