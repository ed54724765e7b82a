import type { StoreEvent } from './store.ts';
import { subjectOf } from './store-event.ts';
import type { WatchQueue } from './watch-queue.ts';

interface Group {
  readonly watches: Set<WatchQueue>;
  /** What the publication that goes on has for them. */
  events: StoreEvent[];
  bytes: number;
}

/**
 * The watches of one table. Those of the same prefix share their batches. The groups of a prefix are
 * found by cutting the key, so that an event costs the same for one namespace and for a thousand.
 */
export class WatchHub {
  readonly #byLength = new Map<number, Map<string, Group>>();

  get isEmpty(): boolean {
    return this.#byLength.size === 0;
  }

  add(prefix: string, watch: WatchQueue): void {
    const groups = this.#byLength.get(prefix.length) ?? new Map<string, Group>();
    const group = groups.get(prefix) ?? { watches: new Set(), events: [], bytes: 0 };
    group.watches.add(watch);
    groups.set(prefix, group);
    this.#byLength.set(prefix.length, groups);
  }

  /** How many watches have the prefix. */
  readers(prefix: string): number {
    return this.#byLength.get(prefix.length)?.get(prefix)?.watches.size ?? 0;
  }

  remove(prefix: string, watch: WatchQueue): void {
    const groups = this.#byLength.get(prefix.length);
    const group = groups?.get(prefix);
    if (groups === undefined || group === undefined) return;
    group.watches.delete(watch);
    if (group.watches.size === 0) groups.delete(prefix);
    if (groups.size === 0) this.#byLength.delete(prefix.length);
  }

  /** Hands every watch, as one batch, those events that it wants. */
  publish(events: readonly StoreEvent[]): void {
    const reached = new Set<Group>();
    for (const event of events) {
      const { key, bytes } = subjectOf(event);
      for (const [length, groups] of this.#byLength) {
        const group = groups.get(key.slice(0, length));
        if (group === undefined) continue;
        group.events.push(event);
        group.bytes += bytes.length;
        reached.add(group);
      }
    }
    for (const group of reached) {
      const batch = { events: group.events, bytes: group.bytes };
      group.events = [];
      group.bytes = 0;
      for (const watch of group.watches) watch.push(batch);
    }
  }

  /** Ends all watches, after what already waits for their readers. */
  end(): void {
    const watches = [...this.#byLength.values()].flatMap((groups) =>
      [...groups.values()].flatMap((group) => [...group.watches]),
    );
    for (const watch of watches) watch.end();
  }
}
