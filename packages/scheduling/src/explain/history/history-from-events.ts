import { present } from '@perigee/schema/present';
import type { HistoryEntry, HistoryEvent } from './placement-history.ts';

/** An Event about work, or about its binding. */
export interface RecordedEvent {
  readonly at: string;
  readonly reason: string;
  readonly message: string;
  /** The reporting component. */
  readonly by?: string;
}

const PLACED = 'ScheduleBindingSucceed';

const EVENTS: ReadonlyMap<string, HistoryEvent> = new Map([
  [PLACED, 'Placed'],
  ['ScheduleBindingFailed', 'Unplaced'],
  ['EvictWorkloadFromClusterSucceed', 'Evicting'],
  ['WorkPreempted', 'Evicting'],
  ['WorkHeld', 'Held'],
  ['WorkAdmitted', 'Released'],
]);

/** Extracts `member1:2 member2:1` from the message of a scheduler. */
const sharesIn = (message: string): string =>
  (/Result: \{(.*)\}$/.exec(message)?.[1] ?? '').replaceAll(', ', ' ');

const entryOf = ({ at, reason, message, by }: RecordedEvent): readonly HistoryEntry[] => {
  const event = EVENTS.get(reason);
  if (event === undefined) return [];
  const after = reason === PLACED ? sharesIn(message) : '';
  return [{ at, event, cause: reason, ...present({ by }), before: '', after, message }];
};

/** Merges the two Events of one cause, on the work and on its binding. */
const keyOf = ({ at, event, message }: HistoryEntry): string => `${at} ${event} ${message}`;

/**
 * Merges Events with the placements recorded in the binding. The record reaches further back and has the reasons, so
 * Events of placements count only before its first entry.
 */
export const historyFromEvents = (
  events: readonly RecordedEvent[],
  records: readonly HistoryEntry[],
): readonly HistoryEntry[] => {
  const since = records[0]?.at;
  const entries = events
    .flatMap(entryOf)
    .filter(({ cause, at = '' }) => cause !== PLACED || since === undefined || at < since);
  const once = new Map(entries.map((entry) => [keyOf(entry), entry])).values();
  return [...once, ...records].toSorted((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : 1));
};
