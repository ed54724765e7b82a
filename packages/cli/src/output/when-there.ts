import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError, ConnectionError } from '@perigee/kube/errors';
import { tell } from './tell.ts';

const REST_MS = 1_000;

/** True for the error of a server that is away, or not ready yet. */
export const isAway = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && error.code >= 500);

/** Reads from the server, again and again while it is away, which is told in a line. */
export const whenThere = async <T>(
  read: () => Promise<T>,
  onTold: () => void = () => {},
): Promise<T> => {
  for (let failures = 0; ; failures += 1) {
    try {
      return await read();
    } catch (error) {
      if (!isAway(error)) throw error;
      if (failures === 0) {
        tell('the server does not answer; this goes on as soon as it does');
        onTold();
      }
    }
    await clock.sleep(REST_MS);
  }
};
