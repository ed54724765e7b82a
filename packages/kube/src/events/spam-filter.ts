import { RecentMap } from '@perigee/schema/recent-map';

const REFILL_MS = 300_000;
const FULL_MS = 25 * REFILL_MS;

interface Budget {
  /** Quiet time that the source has saved up; an event costs some of it. */
  readonly savedMs: number;
  readonly at: number;
}

/** Lets 25 events of a source through at once, and then one every five minutes. */
export class SpamFilter {
  readonly #budgets: RecentMap<string, Budget>;

  constructor(mostSources: number) {
    this.#budgets = new RecentMap(mostSources);
  }

  lets(source: string, nowMs: number): boolean {
    const { savedMs, at } = this.#budgets.get(source) ?? { savedMs: FULL_MS, at: nowMs };
    // A clock that was set back gives nothing and takes nothing.
    const nowSaved = Math.min(FULL_MS, savedMs + Math.max(0, nowMs - at));
    const passes = nowSaved >= REFILL_MS;
    this.#budgets.set(source, { savedMs: passes ? nowSaved - REFILL_MS : nowSaved, at: nowMs });
    return passes;
  }
}
