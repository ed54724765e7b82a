import type { HistoryLimits } from './history.ts';
import type { WatchLimits } from './watch-queue.ts';

export interface StoreOptions {
  /** Retention limits of the history. */
  readonly history?: Partial<HistoryLimits>;
  /** Backlog limits for slow readers of a watch. */
  readonly backlog?: Partial<WatchLimits>;
}

const MIB = 2 ** 20;
const HISTORY: HistoryLimits = { events: 100_000, bytes: 128 * MIB };
const BACKLOG: WatchLimits = { events: 20_000, bytes: 32 * MIB };

export interface StoreLimits {
  readonly history: HistoryLimits;
  readonly backlog: WatchLimits;
}

export const storeLimits = ({ history, backlog }: StoreOptions): StoreLimits => ({
  history: { ...HISTORY, ...history },
  backlog: { ...BACKLOG, ...backlog },
});
