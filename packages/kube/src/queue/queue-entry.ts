/** A key that waits for a worker. */
export interface QueueEntry<T> {
  readonly key: T;
  /** For whom: tenants take turns. */
  readonly tenant: string;
  priority: number;
  dueAt: number;
  /** Sequence number: the earlier of two that became due at the same time goes first. */
  readonly serial: number;
  /** Absent while the key is being processed: the entry waits until that is done. */
  heap?: { remove(entry: QueueEntry<T>): void; push(entry: QueueEntry<T>): void };
  heapIndex: number;
}

export const isDueEarlier = <T>(a: QueueEntry<T>, b: QueueEntry<T>): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.serial < b.serial);

export const isMoreUrgent = <T>(a: QueueEntry<T>, b: QueueEntry<T>): boolean =>
  a.priority > b.priority || (a.priority === b.priority && isDueEarlier(a, b));
