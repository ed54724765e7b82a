import type { MoverClock } from '../clock.ts';
import { endpointErrorOf, MoveError } from '../errors.ts';

export interface RetryOptions {
  readonly clock: Pick<MoverClock, 'delay'>;
  /** Called before the wait for each attempt but the first, with what the last one ended with. */
  readonly onRetry: (problem: string) => void;
  readonly isStopped: () => boolean;
  /** Number of attempts in all. */
  readonly attempts?: number;
}

const ATTEMPTS = 6;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5000;

/** Tries again, after longer and longer waits, what may work later. */
export const withRetries = async <T>(
  run: () => Promise<T>,
  { clock, onRetry, isStopped, attempts = ATTEMPTS }: RetryOptions,
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (error instanceof MoveError) throw error;
      const problem = endpointErrorOf(error);
      const isWorthIt = problem.problem === 'Unavailable' && attempt < attempts && !isStopped();
      if (!isWorthIt) throw problem;
      onRetry(problem.message);
      await clock.delay(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)));
    }
  }
};
