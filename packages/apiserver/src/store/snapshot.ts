import type { SortedEntries, Start } from './sorted-entries.ts';
import type { Entry, Range, RangeOptions, StoreEvent } from './store.ts';
import { subjectOf } from './store-event.ts';

type Page = Pick<Range, 'entries' | 'remaining'>;

interface Bounds {
  readonly start: Start;
  readonly end: string | undefined;
}

/** The first string after all those that begin with the prefix; none when there is no such string. */
const endOfPrefix = (prefix: string): string | undefined => {
  for (let last = prefix.length - 1; last >= 0; last--) {
    const code = prefix.charCodeAt(last);
    if (code < 0xffff) return prefix.slice(0, last) + String.fromCharCode(code + 1);
  }
  return undefined;
};

const boundsOf = ({ prefix = '', after }: RangeOptions): Bounds => ({
  start:
    after !== undefined && after >= prefix
      ? { key: after, exclusive: true }
      : { key: prefix, exclusive: false },
  end: endOfPrefix(prefix),
});

const isWithin = (key: string, { start, end }: Bounds): boolean =>
  (start.exclusive ? key > start.key : key >= start.key) && (end === undefined || key < end);

/** State of each changed key before its first change. */
const statesBefore = (
  events: readonly StoreEvent[],
  bounds: Bounds,
): ReadonlyMap<string, Entry | undefined> => {
  const states = new Map<string, Entry | undefined>();
  for (const event of events) {
    const { key } = subjectOf(event);
    if (states.has(key) || !isWithin(key, bounds)) continue;
    states.set(key, event.type === 'ADDED' ? undefined : event.previous);
  }
  return states;
};

const byKey = (a: Entry, b: Entry): number => (a.key < b.key ? -1 : 1);

const pageNow = (entries: SortedEntries, { start, end }: Bounds, limit?: number): Page => {
  const pageEntries = entries.range(start, end, limit);
  const remaining = limit === undefined ? 0 : entries.count(start, end) - pageEntries.length;
  return { entries: pageEntries, remaining };
};

/** A range of the entries as they were before the events, which are undone. */
export const rangeAt = (
  entries: SortedEntries,
  undone: readonly StoreEvent[],
  options: RangeOptions,
): Page => {
  const { limit } = options;
  const bounds = boundsOf(options);
  const before = statesBefore(undone, bounds);
  if (before.size === 0) return pageNow(entries, bounds, limit);

  // At most as many as changed are missing among those that are there now.
  const now = pageNow(entries, bounds, limit === undefined ? undefined : limit + before.size);
  const unchangedEntries = now.entries.filter(({ key }) => !before.has(key));
  const restoredEntries = [...before.values()].filter((entry) => entry !== undefined);
  const mergedEntries = [...unchangedEntries, ...restoredEntries].sort(byKey);
  if (limit === undefined) return { entries: mergedEntries, remaining: 0 };

  let changedHere = 0;
  for (const key of before.keys()) if (entries.get(key) !== undefined) changedHere++;
  const total = now.entries.length + now.remaining - changedHere + restoredEntries.length;
  const page = mergedEntries.slice(0, limit);
  return { entries: page, remaining: total - page.length };
};
