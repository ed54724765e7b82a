import { RevisionError, StorageError } from '../errors.ts';
import { StoredEntry } from './entry.ts';
import { GroupCommit } from './group-commit.ts';
import { History } from './history.ts';
import type { Journal } from './journal.ts';
import { journalChanges } from './journal-changes.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { PendingHead, type PendingWrite } from './pending-head.ts';
import type {
  Change,
  Entry,
  Range,
  RangeOptions,
  Store,
  StoreEvent,
  StoreWatch,
  TableEvent,
  WatchOptions,
  WriteResult,
} from './store.ts';
import { eventOf, subjectOf } from './store-event.ts';
import { type StoreLimits, type StoreOptions, storeLimits } from './store-options.ts';
import { Table } from './table.ts';
import { TableWatches } from './table-watches.ts';
import { Tables } from './tables.ts';
import { WatchQueue } from './watch-queue.ts';

/** A pending write; one without a change waits for the writes that it was decided upon. */
interface Operation {
  readonly revision: number;
  readonly write: PendingWrite | undefined;
  readonly completion: PromiseWithResolvers<void>;
}

/**
 * Limit of decisions: one is repeated when a write that it depends on is lost, but not for ever on a failing disk.
 */
const MOST_JUDGEMENTS = 20;

/** A store with all entries in memory, and a journal for durability. */
export class JournaledStore implements Store {
  readonly #journal: Journal;
  readonly #limits: StoreLimits;
  readonly #history: History;
  readonly #tables = new Tables();
  readonly #tableWatches = new TableWatches();
  readonly #head = new PendingHead();
  readonly #commits = new GroupCommit<Operation>({
    flush: (operations) => this.#flush(operations),
    publish: (operations, flush) => this.#publish(operations, flush),
    fail: (operations, error) => this.#fail(operations, error),
  });
  /** True if the present decision has read a write that is not flushed yet. */
  #foresaw = false;
  #revision: number;
  /** The last revision that was given to a write, published or not. Never given again. */
  #lastIssued: number;
  #closing: Promise<void> | undefined;

  constructor(journal: Journal, options: StoreOptions) {
    const { revision, records } = journal.load();
    this.#journal = journal;
    this.#limits = storeLimits(options);
    this.#revision = revision;
    this.#lastIssued = revision;
    this.#history = new History(this.#limits.history, revision);
    for (const { table, key, revision, bytes } of records) {
      this.#tables.open(table).entries.set(new StoredEntry(key, revision, bytes));
    }
  }

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#history.compacted;
  }

  compact(revision: number): void {
    this.#history.forgetUntil(revision);
  }

  get(table: string, key: string): Entry | undefined {
    return this.#tables.get(table)?.entries.get(key);
  }

  async write(
    table: string,
    key: string,
    decide: (present: Entry | undefined, revision: number) => Change,
  ): Promise<WriteResult> {
    for (let attempt = 1; ; attempt++) {
      const { foresaw, outcome } = this.#judge(table, key, decide);
      if (outcome.type === 'write') {
        await this.#enqueue(outcome.write);
        return outcome.result;
      }
      try {
        // A caller must not learn of a state that readers cannot see yet.
        if (foresaw) await this.#enqueue(undefined);
      } catch (lost) {
        if (attempt === MOST_JUDGEMENTS) throw lost;
        continue;
      }
      if (outcome.type === 'refuse') throw outcome.refusal;
      return { entry: outcome.present, previous: outcome.present, revision: this.#revision };
    }
  }

  pending(table: string): readonly Entry[] {
    const entries = this.#head.entries(table);
    if (entries.length > 0) this.#foresaw = true;
    return entries;
  }

  range(table: string, options: RangeOptions = {}): Range {
    const { revision = this.#revision } = options;
    const tableState = this.#tables.get(table);
    this.#requireRevision(revision, tableState);
    return tableState?.range(options, revision) ?? { entries: [], revision, remaining: 0 };
  }

  count(table: string): number {
    return this.#tables.get(table)?.entries.size ?? 0;
  }

  watch(name: string, { prefix = '', since }: WatchOptions): StoreWatch {
    this.#requireOpen();
    const missedEvents = this.changes(name, since);
    const table = this.#tables.open(name);
    return table.watches.open(prefix, {
      limits: this.#limits.backlog,
      missedEvents: missedEvents.filter((event) => subjectOf(event).key.startsWith(prefix)),
      revision: () => this.#revision,
    });
  }

  watchAll(prefix = ''): StoreWatch<TableEvent> {
    this.#requireOpen();
    const watch = new WatchQueue<TableEvent>({
      limits: this.#limits.backlog,
      missedEvents: [],
      revision: () => this.#revision,
      crowd: { size: 1 },
      onEnd: () => this.#tableWatches.remove(watch),
    });
    this.#tableWatches.add(prefix, watch);
    return watch;
  }

  changes(name: string, since: number): readonly StoreEvent[] {
    const table = this.#tables.get(name);
    this.#requireRevision(since, table);
    return table?.history.after(since) ?? [];
  }

  tables(prefix = ''): readonly string[] {
    return [...this.#tables.startingWith(prefix)]
      .filter(([, { entries }]) => entries.size > 0)
      .map(([name]) => name)
      .sort();
  }

  async drop(table: string): Promise<void> {
    this.#requireOpen();
    if (this.#tables.get(table) === undefined && !this.#head.has(table)) return;
    await this.#enqueue({ type: 'drop', table });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#commits.drained();
    for (const [, table] of this.#tables.startingWith('')) table.watches.end();
    this.#tableWatches.end();
    await this.#journal[Symbol.asyncDispose]();
  }

  /** Decides on a key. `foresaw` is true if the decision depends on writes that are not visible to readers yet. */
  #judge(
    table: string,
    key: string,
    decide: (present: Entry | undefined, revision: number) => Change,
  ): { readonly foresaw: boolean; readonly outcome: Outcome } {
    this.#requireOpen();
    const pendingState = this.#head.get(table, key);
    const present = pendingState === undefined ? this.get(table, key) : pendingState.entry;
    const revision = this.#lastIssued + 1;
    this.#foresaw = pendingState !== undefined;
    const outcome = outcomeOf(table, key, present, revision, decide);
    if (this.#lastIssued >= revision)
      throw new Error('a decision about a write must not itself write');
    return { foresaw: this.#foresaw, outcome };
  }

  #enqueue(write: PendingWrite | undefined): Promise<void> {
    if (write !== undefined) {
      this.#lastIssued++;
      this.#head.add(write);
    }
    const completion = Promise.withResolvers<void>();
    this.#commits.add({ revision: this.#lastIssued, write, completion });
    return completion.promise;
  }

  async #flush(operations: readonly Operation[]): Promise<void> {
    const writes = operations.map(({ write }) => write).filter((write) => write !== undefined);
    if (writes.length === 0) return;
    const changes = journalChanges(writes, (table) => this.#keysOf(table));
    await this.#journal.commit({ revision: operations.at(-1)?.revision ?? 0, changes });
  }

  #keysOf(table: string): readonly string[] {
    const entries = this.#tables.get(table)?.range({}, this.#revision).entries ?? [];
    return entries.map(({ key }) => key);
  }

  #publish(operations: readonly Operation[], flush: number): void {
    const eventsByTable = new Map<string, StoreEvent[]>();
    const everywhere: TableEvent[] = [];
    for (const { write, revision } of operations) {
      if (write === undefined) continue;
      this.#revision = revision;
      this.#head.settle(write);
      const table = this.#tables.open(write.table);
      if (write.type === 'drop') {
        everywhere.push(...this.#removals(write.table, revision));
        table.watches.publish(eventsByTable.get(write.table) ?? [], { flush, isMoreComing: false });
        eventsByTable.delete(write.table);
        table.watches.end();
        this.#tables.forgetIdle(this.#history.compacted);
        this.#tables.set(write.table, new Table(revision));
        continue;
      }
      const event = eventOf(write, revision);
      table.apply(event);
      this.#history.append(table.history, event);
      if (!this.#tableWatches.isEmpty) everywhere.push({ ...event, table: write.table });
      const events = eventsByTable.get(write.table);
      if (events === undefined) eventsByTable.set(write.table, [event]);
      else events.push(event);
    }
    for (const [name, events] of eventsByTable) {
      const isMoreComing = this.#head.has(name);
      this.#tables.open(name).watches.publish(events, { flush, isMoreComing });
    }
    if (everywhere.length > 0) this.#tableWatches.publish(everywhere);
    for (const { completion } of operations) completion.resolve();
  }

  /** Events of a drop for watches of all tables. */
  #removals(table: string, revision: number): readonly TableEvent[] {
    if (this.#tableWatches.isEmpty) return [];
    const { entries = [] } = this.#tables.get(table)?.range({}, revision) ?? {};
    return entries.map((previous) => ({ type: 'DELETED', table, revision, previous }));
  }

  #fail(operations: readonly Operation[], error: unknown): void {
    this.#head.clear();
    for (const [, table] of this.#tables.startingWith('')) table.watches.release();
    for (const { completion } of operations) completion.reject(error);
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new StorageError('closed', 'the store is closed');
  }

  #requireRevision(requestedRevision: number, table: Table | undefined): void {
    if (requestedRevision > this.#revision)
      throw new RevisionError('future', requestedRevision, this.#revision);
    const floor = Math.max(this.#history.compacted, table?.floor ?? 0);
    if (requestedRevision < floor) throw new RevisionError('compacted', requestedRevision, floor);
  }
}
