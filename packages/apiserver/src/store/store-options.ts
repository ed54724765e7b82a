import type { HistoryLimits } from './history.ts';
import type { WatchLimits } from './watch-queue.ts';

export interface StoreOptions {
  /** How much of the past can be read and watched. */
  readonly history?: Partial<HistoryLimits>;
  /** How much may wait for a slow reader of a watch. */
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
