import type { Clock } from '@perigee/kube/clock/clock';
import { Deque } from '../store/deque.ts';
import type { Store, StoreWatch, TableEvent } from '../store/store.ts';

/** All revisions after those of the mark before, up to this one, were written in this second. */
interface Mark {
  readonly time: number;
  revision: number;
}

const SECOND_MS = 1000;

/**
 * Knows when revisions were written, to the second, for as long as the store keeps them. It notes one mark
 * for each second in which something was written.
 */
export class RevisionTimes implements Disposable {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #marks = new Deque<Mark>();
  #watch: StoreWatch<TableEvent> | undefined;
  #isDisposed = false;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#mark();
    void this.#follow();
  }

  /** When a revision was written, in milliseconds since the epoch; undefined when that is not known. */
  timeOf(revision: number): number | undefined {
    this.#mark();
    const at = this.#search((mark) => mark.revision >= revision);
    // Objects from before the start may be of any age.
    return at === 0 ? undefined : this.#marks.at(at)?.time;
  }

  /** The newest revision at the end of that second; undefined when it was before what is known. */
  revisionAt(time: number): number | undefined {
    this.#mark();
    return this.#marks.at(this.#search((mark) => mark.time > time) - 1)?.revision;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#watch?.[Symbol.dispose]();
  }

  /** Watches that fall behind end, and are replaced by the next. */
  async #follow(): Promise<void> {
    while (!this.#isDisposed) {
      try {
        this.#watch = this.#store.watchAll();
      } catch {
        return;
      }
      for await (const _ of this.#watch) this.#mark();
    }
  }

  #mark(): void {
    const { revision, compacted } = this.#store;
    const time = Math.floor(this.#clock.now() / SECOND_MS) * SECOND_MS;
    const last = this.#marks.at(this.#marks.length - 1);
    if (last === undefined || last.revision < revision) this.#note(revision, time, last);
    // The first mark only bounds the known range, so one has to stay below the retained revisions.
    while ((this.#marks.at(1)?.revision ?? revision) < compacted) this.#marks.shift();
  }

  /** Clocks may be set back; what was written later still counts as later. */
  #note(revision: number, time: number, last: Mark | undefined): void {
    const isSameSecond = last !== undefined && last.time >= time && this.#marks.length > 1;
    if (isSameSecond) last.revision = revision;
    else this.#marks.push({ time: Math.max(time, last?.time ?? 0), revision });
  }

  /** The index of the first mark for which it holds. */
  #search(holds: (mark: Mark) => boolean): number {
    let low = 0;
    let high = this.#marks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const mark = this.#marks.at(middle);
      if (mark !== undefined && holds(mark)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
