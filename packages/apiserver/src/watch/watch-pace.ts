import type { Clock } from '@perigee/kube/clock/clock';

/** Least cost of a write to one watch, however small. */
const MS_PER_READER = 0.02;
const LONGEST_MS = 20;

type Resume = () => void;

/** Waiting watches by their delay. */
const rounds = new WeakMap<Clock, Map<number, Resume[]>>();

const roundOf = (clock: Clock, delayMs: number): Resume[] => {
  const roundsByDelay = rounds.get(clock) ?? new Map<number, Resume[]>();
  rounds.set(clock, roundsByDelay);
  const openRound = roundsByDelay.get(delayMs);
  if (openRound !== undefined) return openRound;
  const round: Resume[] = [];
  roundsByDelay.set(delayMs, round);
  clock.timer(delayMs, () => {
    roundsByDelay.delete(delayMs);
    for (const resume of round) resume();
  });
  return round;
};

/**
 * Delays the next write to a watch after events. One event costs nearly as much as fifty: if many watches get the
 * same events, close changes are sent together. The first change after a pause is sent at once, and a watch without
 * a crowd never waits; nor does one that ends.
 */
export const watchPace = (
  clock: Clock,
  signal: AbortSignal,
): ((readers: number) => Promise<void> | undefined) => {
  let resume: Resume | undefined;
  signal.addEventListener('abort', () => resume?.(), { once: true });
  return (readers) => {
    const delayMs = Math.min(LONGEST_MS, Math.floor(readers * MS_PER_READER));
    if (delayMs === 0 || signal.aborted) return undefined;
    return new Promise((resolve) => {
      resume = resolve;
      roundOf(clock, delayMs).push(resolve);
    });
  };
};
