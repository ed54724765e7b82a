import type { Binding } from '../../placement/binding/binding.ts';
import { MOST_RECORDS, placementsOf } from '../../placement/scheduler/placement-record.ts';
import type { Version } from './object-versions.ts';
import { causeText, eventOf, type HistoryEntry, placementHistory } from './placement-history.ts';

/** The placement history of work from the record in its binding alone, for servers without old versions. */
export const recordedHistory = ({ metadata }: Binding): readonly HistoryEntry[] => {
  const records = placementsOf(metadata);
  // Of a full record, the placements before the first one are forgotten.
  let before = records.length < MOST_RECORDS ? '' : '…';
  return records.map(({ at, cause, clusters }): HistoryEntry => {
    const entry: HistoryEntry = {
      at,
      event: eventOf(before, clusters, cause === 'ReplicasChanged'),
      cause,
      before,
      after: clusters,
      message: causeText(cause),
    };
    before = clusters;
    return entry;
  });
};

/**
 * The history that a server keeps, and before it the placements that the oldest version of the binding notes. A server
 * that was started anew keeps no more than the present version, and does not know from when it is. Times of the two do
 * not compare: one is that of a decision, the other that of a write.
 */
export const withOlderPlacements = (
  entries: readonly HistoryEntry[],
  [first]: readonly Version<Binding>[],
): readonly HistoryEntry[] => {
  const records = first?.object === undefined ? [] : recordedHistory(first.object);
  const last = records.at(-1);
  if (first === undefined || last === undefined) return entries;
  const firstCount = placementHistory([first], { templates: [], policies: [] }).length;
  const isRecorded = ({ event, at, after }: HistoryEntry, index: number): boolean =>
    index < firstCount && event === 'Placed' && (at === undefined || after === last.after);
  return [...records, ...entries.filter((entry, index) => !isRecorded(entry, index))];
};
