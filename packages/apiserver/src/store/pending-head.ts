import type { Entry } from './store.ts';

/** A write that is decided, but is not published yet. */
export type PendingWrite =
  | {
      readonly type: 'put';
      readonly table: string;
      readonly entry: Entry;
      readonly previous: Entry | undefined;
    }
  | { readonly type: 'remove'; readonly table: string; readonly previous: Entry }
  | { readonly type: 'drop'; readonly table: string };

type KeyedWrite = Exclude<PendingWrite, { type: 'drop' }>;

const keyOf = (write: KeyedWrite): string =>
  write.type === 'put' ? write.entry.key : write.previous.key;

interface PendingTable {
  drop: PendingWrite | undefined;
  readonly writes: Map<string, KeyedWrite>;
}

/** The state of a key after a write that is not published yet. */
export interface PendingState {
  readonly entry: Entry | undefined;
}

/** Writes that are not flushed yet, as a layer over the published state. */
export class PendingHead {
  readonly #tables = new Map<string, PendingTable>();

  get(table: string, key: string): PendingState | undefined {
    const pendingTable = this.#tables.get(table);
    const write = pendingTable?.writes.get(key);
    if (write !== undefined) return { entry: write.type === 'put' ? write.entry : undefined };
    return pendingTable?.drop === undefined ? undefined : { entry: undefined };
  }

  /** The new states of a table. */
  entries(table: string): readonly Entry[] {
    const writes = this.#tables.get(table)?.writes.values() ?? [];
    return [...writes].flatMap((write) => (write.type === 'put' ? [write.entry] : []));
  }

  has(table: string): boolean {
    return this.#tables.has(table);
  }

  add(write: PendingWrite): void {
    if (write.type === 'drop') {
      this.#tables.set(write.table, { drop: write, writes: new Map() });
      return;
    }
    const pendingTable = this.#tables.get(write.table) ?? { drop: undefined, writes: new Map() };
    pendingTable.writes.set(keyOf(write), write);
    this.#tables.set(write.table, pendingTable);
  }

  /** Removes a published write, unless a newer one has replaced it. */
  settle(write: PendingWrite): void {
    const pendingTable = this.#tables.get(write.table);
    if (pendingTable === undefined) return;
    if (write.type === 'drop') {
      if (pendingTable.drop === write) pendingTable.drop = undefined;
    } else if (pendingTable.writes.get(keyOf(write)) === write) {
      pendingTable.writes.delete(keyOf(write));
    }
    if (pendingTable.drop === undefined && pendingTable.writes.size === 0) {
      this.#tables.delete(write.table);
    }
  }

  clear(): void {
    this.#tables.clear();
  }
}
