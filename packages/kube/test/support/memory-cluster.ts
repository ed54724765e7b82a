import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { WatchOptions } from '../../src/client/client.ts';
import type { Clock } from '../../src/clock/clock.ts';
import { expired, invalid, tooLarge, unknownResource } from './memory-cluster-errors.ts';
import { selects } from './memory-cluster-selector.ts';
import { INITIAL_EVENTS_END, MemoryWatch, type MemoryWatchEvent } from './memory-cluster-watch.ts';
import type { MemoryObject } from './memory-cluster-write.ts';

export interface MemoryClusterOptions {
  readonly clock: Clock;
  readonly kinds: readonly ResourceKind[];
  /** Kinds whose status is written together with the rest. */
  readonly withoutStatus?: readonly ResourceKind[];
  /** Support of `sendInitialEvents`; an old server refuses or ignores it. */
  readonly watchList?: WatchListSupport;
}

export type WatchListSupport = 'served' | 'refused' | 'ignored';

interface Change {
  readonly revision: number;
  readonly key: string;
  readonly before: MemoryObject | undefined;
  readonly after: MemoryObject | undefined;
}

interface Table {
  readonly objects: Map<string, MemoryObject>;
  readonly watches: Map<MemoryWatch, (object: MemoryObject) => boolean>;
  history: Change[];
}

export const objectKey = (namespace: string | undefined, name: string): string =>
  `${namespace ?? ''}/${name}`;

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

const frozenCopy = <T>(value: T): T => {
  const freeze = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    Object.values(part).forEach(freeze);
    Object.freeze(part);
  };
  const copy = JSON.parse(JSON.stringify(value));
  freeze(copy);
  return copy;
};

const atRevision = (object: MemoryObject, revision: number): MemoryObject =>
  frozenCopy({
    ...object,
    metadata: { ...object.metadata, resourceVersion: String(revision) },
  });

/** The event of a change for a watch with this selection: objects enter and leave by their labels too. */
const eventOf = (
  { before, after, revision }: Change,
  matches: (object: MemoryObject) => boolean,
): MemoryWatchEvent | undefined => {
  const was = before !== undefined && matches(before);
  if (after !== undefined && matches(after)) {
    return { type: was ? 'MODIFIED' : 'ADDED', object: after };
  }
  return was ? { type: 'DELETED', object: atRevision(before, revision) } : undefined;
};

/** The state of an API server in memory: objects, one revision counter, history and open watches. */
export class MemoryCluster {
  readonly clock: Clock;
  readonly kinds: readonly ResourceKind[];
  watchList: WatchListSupport;
  readonly #tables = new Map<string, Table>();
  readonly #withoutStatus: readonly ResourceKind[];
  #revision = 0;
  #floor = 0;

  constructor({ clock, kinds, withoutStatus = [], watchList = 'served' }: MemoryClusterOptions) {
    this.clock = clock;
    this.kinds = kinds;
    this.watchList = watchList;
    this.#withoutStatus = withoutStatus;
    for (const { group, plural } of kinds) {
      const table = { objects: new Map(), watches: new Map(), history: [] };
      this.#tables.set(`${group}/${plural}`, table);
    }
  }

  get revision(): number {
    return this.#revision;
  }

  /** Every watch that is open now: tests end, break, stall or bookmark them. */
  get watches(): readonly MemoryWatch[] {
    return [...this.#tables.values()].flatMap(({ watches }) => [...watches.keys()]);
  }

  hasStatus(kind: ResourceKind): boolean {
    return !this.#withoutStatus.some((k) => k.group === kind.group && k.plural === kind.plural);
  }

  get(kind: ResourceKind, key: string): MemoryObject | undefined {
    return this.#table(kind).objects.get(key);
  }

  /** The objects of a kind in key order, as they were at a revision that history still covers. */
  objects(kind: ResourceKind, revision = this.#revision): readonly [string, MemoryObject][] {
    this.#checkRevision(revision);
    const table = this.#table(kind);
    const objects = new Map(table.objects);
    for (const change of table.history.toReversed()) {
      if (change.revision <= revision) break;
      if (change.before) objects.set(change.key, change.before);
      else objects.delete(change.key);
    }
    return [...objects].sort(byKey);
  }

  /** Stores the object, or removes it when there is none, and tells the watches. */
  commit(kind: ResourceKind, key: string, object: MemoryObject | undefined): MemoryObject {
    const table = this.#table(kind);
    const before = table.objects.get(key);
    this.#revision += 1;
    const after = object && atRevision(object, this.#revision);
    if (after) table.objects.set(key, after);
    else table.objects.delete(key);
    const change = { revision: this.#revision, key, before, after };
    table.history.push(change);
    for (const [watch, matches] of table.watches) {
      const event = eventOf(change, matches);
      if (event) watch.push(event);
    }
    const result = after ?? before;
    if (!result) throw new Error(`nothing to remove at ${key}`);
    return result;
  }

  /** Forgets history: watches and page tokens from before the revision answer 410. */
  compact(revision = this.#revision): void {
    this.#floor = revision;
    for (const table of this.#tables.values()) {
      table.history = table.history.filter((change) => change.revision > revision);
    }
  }

  sendBookmarks(): void {
    for (const watch of this.watches) watch.bookmark(this.#revision);
  }

  /** Opens a watch; disposing it closes it. */
  watch(kind: ResourceKind, options: WatchOptions): MemoryWatch {
    const { resourceVersion, sendInitialEvents, timeoutSeconds } = options;
    const initialEvents = sendInitialEvents === true && this.watchList !== 'ignored';
    if (initialEvents && this.watchList === 'refused') {
      throw invalid(kind, '', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden');
    }
    const from = Number(resourceVersion ?? 0);
    const table = this.#table(kind);
    const matches = selects(options);
    if (from > 0) this.#checkRevision(from, !initialEvents);
    const timeout = timeoutSeconds
      ? this.clock.timer(timeoutSeconds * 1000, () => watch.end())
      : undefined;
    const watch: MemoryWatch = new MemoryWatch(kind, () => {
      timeout?.[Symbol.dispose]();
      table.watches.delete(watch);
    });
    if (from > 0 && !initialEvents) {
      for (const change of table.history) {
        const event = change.revision > from ? eventOf(change, matches) : undefined;
        if (event) watch.push(event);
      }
    } else {
      for (const [, object] of this.objects(kind)) {
        if (matches(object)) watch.push({ type: 'ADDED', object });
      }
      if (initialEvents) watch.bookmark(this.#revision, { [INITIAL_EVENTS_END]: 'true' });
    }
    table.watches.set(watch, matches);
    return watch;
  }

  #checkRevision(revision: number, historyNeeded = true): void {
    if (revision > this.#revision) throw tooLarge(revision, this.#revision);
    if (historyNeeded && revision < this.#floor) throw expired(revision, this.#floor);
  }

  #table(kind: ResourceKind): Table {
    const table = this.#tables.get(`${kind.group}/${kind.plural}`);
    if (!table) throw unknownResource(kind);
    return table;
  }
}
