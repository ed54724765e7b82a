import { IndexedHeap, NOWHERE } from '../heap/indexed-heap.ts';
import { isMoreUrgent, type QueueEntry } from './queue-entry.ts';

/** All that waits for one tenant, the most urgent first. */
interface Line<T> {
  readonly tenant: string;
  readonly entries: IndexedHeap<QueueEntry<T>>;
  /** In which round the tenant gets its next turn. */
  round: number;
  heapIndex: number;
}

const goesBefore = <T>(a: Line<T>, b: Line<T>): boolean => {
  const [ours, theirs] = [a.entries.peek(), b.entries.peek()];
  if (ours === undefined || theirs === undefined) return theirs === undefined;
  if (ours.priority !== theirs.priority) return ours.priority > theirs.priority;
  return a.round < b.round || (a.round === b.round && isMoreUrgent(ours, theirs));
};

/**
 * The keys that are ready to be processed. Higher priorities go first; within one priority the tenants take
 * turns, so that a tenant with thousands of keys does not delay another; within one tenant the earliest due key
 * goes first. Every operation is O(log n).
 */
export class FairHeap<T> {
  readonly #lines = new Map<string, Line<T>>();
  readonly #order = new IndexedHeap<Line<T>>(goesBefore);
  /** The round of the turn that was taken last; who comes now takes part in it. */
  #round = 0;

  push(entry: QueueEntry<T>): void {
    const { tenant } = entry;
    const line = this.#lines.get(tenant) ?? this.#join(tenant);
    this.#change(line, () => line.entries.push(entry));
  }

  pop(): QueueEntry<T> | undefined {
    const line = this.#order.peek();
    if (line === undefined) return undefined;
    const entry = this.#change(line, () => {
      this.#round = Math.max(this.#round, line.round);
      line.round = this.#round + 1;
      return line.entries.pop();
    });
    return entry;
  }

  remove(entry: QueueEntry<T>): void {
    const line = this.#lines.get(entry.tenant);
    if (line !== undefined) this.#change(line, () => line.entries.remove(entry));
  }

  #join(tenant: string): Line<T> {
    const entries = new IndexedHeap<QueueEntry<T>>(isMoreUrgent);
    const line: Line<T> = { tenant, entries, round: this.#round, heapIndex: NOWHERE };
    this.#lines.set(tenant, line);
    return line;
  }

  /** Changes what a tenant waits for, and with it the tenant's place among the others. */
  #change<R>(line: Line<T>, change: () => R): R {
    if (line.heapIndex !== NOWHERE) this.#order.remove(line);
    const result = change();
    if (line.entries.size > 0) this.#order.push(line);
    else this.#lines.delete(line.tenant);
    return result;
  }
}
