import { Deque } from './deque.ts';
import type { StoreEvent } from './store.ts';

/** The events of one table that are still kept, oldest first. */
export class TableHistory {
  readonly #events = new Deque<StoreEvent>();

  get length(): number {
    return this.#events.length;
  }

  get oldest(): StoreEvent | undefined {
    return this.#events.at(0);
  }

  append(event: StoreEvent): void {
    this.#events.push(event);
  }

  forgetOldest(): StoreEvent | undefined {
    return this.#events.shift();
  }

  /** The events after the revision. */
  after(revision: number): readonly StoreEvent[] {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events.at(middle)?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low);
  }
}

export interface HistoryLimits {
  readonly events: number;
  /** Size of the states that only the history retains: replaced and removed ones. */
  readonly bytes: number;
}

interface Kept {
  readonly table: TableHistory;
  readonly bytes: number;
}

const bytesKeptBy = (event: StoreEvent): number =>
  event.type === 'ADDED' ? 0 : event.previous.bytes.length;

/** The window of past events over all tables. What leaves it can no longer be read or watched. */
export class History {
  readonly #limits: HistoryLimits;
  readonly #retainedEvents = new Deque<Kept>();
  #bytes = 0;
  #compacted: number;

  constructor(limits: HistoryLimits, revision: number) {
    this.#limits = limits;
    this.#compacted = revision;
  }

  /** The oldest revision whose successors are all kept. */
  get compacted(): number {
    return this.#compacted;
  }

  append(table: TableHistory, event: StoreEvent): void {
    const bytes = bytesKeptBy(event);
    table.append(event);
    this.#retainedEvents.push({ table, bytes });
    this.#bytes += bytes;
    while (this.#retainedEvents.length > this.#limits.events || this.#bytes > this.#limits.bytes) {
      this.#forgetOldest();
    }
  }

  /** Forgets what happened up to a revision. */
  forgetUntil(revision: number): void {
    for (;;) {
      const oldest = this.#retainedEvents.at(0)?.table.oldest;
      if (oldest === undefined || oldest.revision > revision) return;
      this.#forgetOldest();
    }
  }

  #forgetOldest(): void {
    const oldest = this.#retainedEvents.shift();
    const event = oldest?.table.forgetOldest();
    if (oldest === undefined || event === undefined) return;
    this.#bytes -= oldest.bytes;
    this.#compacted = event.revision;
  }
}
