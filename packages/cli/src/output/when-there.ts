import { isPassing } from '@perigee/kube/client/retry';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError, ConnectionError } from '@perigee/kube/errors';
import { notify } from './notify.ts';

const REST_MS = 1_000;

/**
 * True for the error of a server that answered before, and is away or not ready for now. A name that was known is
 * unknown while there is no network.
 */
export const isAway = (error: unknown): boolean =>
  error instanceof ConnectionError
    ? isPassing(error) || error.failure === 'unknown-host'
    : error instanceof ApiError && error.code >= 500;

/** Reads from the server, again and again while it is away, which it reports in a line. */
export const whenThere = async <T>(
  read: () => Promise<T>,
  onReport: () => void = () => {},
): Promise<T> => {
  for (let failures = 0; ; failures += 1) {
    try {
      return await read();
    } catch (error) {
      if (!isAway(error)) throw error;
      if (failures === 0) {
        notify(`${(error as Error).message}; it is tried again until there is an answer`);
        onReport();
      }
    }
    await clock.sleep(REST_MS);
  }
};
