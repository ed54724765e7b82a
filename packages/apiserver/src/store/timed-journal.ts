import type { Clock } from '@perigee/kube/clock/clock';
import type { Journal } from './journal.ts';

/** A journal that tells how many seconds each of its commits took. */
export const timedJournal = (
  journal: Journal,
  clock: Pick<Clock, 'monotonic'>,
  tell: (seconds: number) => void,
): Journal => ({
  load: () => journal.load(),
  commit: async (batch) => {
    const started = clock.monotonic();
    await journal.commit(batch);
    tell((clock.monotonic() - started) / 1000);
  },
  [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
});
