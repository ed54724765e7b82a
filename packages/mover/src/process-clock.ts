import type { MoverClock } from './clock.ts';

/** The time of the machine. The only file of this package that may ask for it. */
export const processClock: MoverClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  every: (delayMs, run) => {
    const handle = setInterval(run, delayMs);
    return { [Symbol.dispose]: () => clearInterval(handle) };
  },
  yield: () => new Promise((resolve) => setImmediate(resolve)),
  delay: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
};
