import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { isGone } from '@perigee/kube/errors';
import { notify } from './notify.ts';
import { isAway } from './when-there.ts';

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 30_000;
/** Any watch may break, so failures are reported only after so many in a row. */
const TOLD_AFTER = 3;
/** Watches end after a while also where they work, as proxies cut idle connections. */
const STEADY_MS = 10_000;

/** Rests after watches that fail, and reports when they always do while the server answers other requests. */
export class WatchTroubles {
  readonly #longestRestMs: number;
  readonly #onReport: () => void;
  #failuresInRow = 0;
  #startMs = clock.monotonic();

  constructor(longestRestMs = LONGEST_REST_MS, onReport: () => void = () => {}) {
    this.#longestRestMs = longestRestMs;
    this.#onReport = onReport;
  }

  /** To be called when a watch begins. */
  begin(): void {
    this.#startMs = clock.monotonic();
  }

  /** To be called when a watch has brought something, and when no request was answered. */
  clear(): void {
    this.#failuresInRow = 0;
  }

  /** Rests after a failure that may pass, the longer the more there were; throws any other. */
  async rest(error: unknown): Promise<void> {
    if (!isGone(error) && !isAway(error)) throw error;
    if (clock.monotonic() - this.#startMs > STEADY_MS) this.clear();
    const restMs = Math.min(this.#longestRestMs, FIRST_REST_MS * 2 ** this.#failuresInRow);
    this.#failuresInRow += 1;
    if (this.#failuresInRow === TOLD_AFTER) {
      notify(`changes cannot be watched, so that they come late: ${(error as Error).message}`);
      this.#onReport();
    }
    await clock.sleep(restMs);
  }
}
