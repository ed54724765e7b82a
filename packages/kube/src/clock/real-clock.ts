import type { Clock } from './clock.ts';
import { sleepOn } from './sleep.ts';
import { Turns } from './turns.ts';

/** The longest delay that Node keeps; it turns a longer one into one millisecond. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

let wallAtZero = Date.now() - performance.now();

/**
 * The system's wall clock has millisecond steps; the steady clock gives the fraction between two of
 * them. Whenever the two disagree (the wall clock was set, or the fraction is not yet known), the
 * wall clock is right.
 */
const now = (): number => {
  const wall = Date.now();
  const steady = performance.now();
  const fine = wallAtZero + steady;
  if (fine >= wall && fine < wall + 1) return Math.floor(fine * 1000) / 1000;
  wallAtZero = wall - steady;
  return wall;
};

const timer = (delayMs: number, run: () => void): Disposable => {
  let handle: NodeJS.Timeout;
  const wait = (remainingMs: number) => {
    handle =
      remainingMs > LONGEST_DELAY_MS
        ? setTimeout(wait, LONGEST_DELAY_MS, remainingMs - LONGEST_DELAY_MS)
        : setTimeout(run, Math.max(0, remainingMs));
  };
  wait(delayMs);
  return { [Symbol.dispose]: () => clearTimeout(handle) };
};

const turns = new Turns((run) => setImmediate(run));

/**
 * Resolves in the next turn of the event loop, when notified listeners have run. By no clock does
 * any time pass.
 */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * The machine's own time and chance. A pending timer keeps the process alive, because whoever waits
 * here still has work to do: a controller between two reconciles, a watch between two attempts. To let
 * the process end, abort what waits; no timer survives its owner's disposal.
 */
export const realClock: Clock = {
  now,
  monotonic: () => performance.now(),
  busy: () => performance.eventLoopUtilization().active,
  timer,
  sleep: (delayMs, signal) => sleepOn(realClock, delayMs, signal),
  yield: () => turns.next(),
  random: () => Math.random(),
  uuid: () => crypto.randomUUID(),
};
