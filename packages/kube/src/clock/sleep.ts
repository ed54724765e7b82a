import type { Clock } from './clock.ts';

/** Waits on the clock's timer; an abort ends the wait at once and leaves no listener behind. */
export const sleepOn = (
  clock: Pick<Clock, 'timer'>,
  delayMs: number,
  signal?: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    };
    const timer = clock.timer(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
