import type { Binding } from '../../placement/binding/binding.ts';
import { MOST_RECORDS, placementsOf } from '../../placement/scheduler/placement-record.ts';
import { causeText, eventOf, type HistoryEntry } from './placement-history.ts';

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
 * The history that a server keeps, and before it the placements that the binding notes. A server that was started anew
 * keeps no more than the present version, and does not know from when it is.
 */
export const withOlderPlacements = (
  entries: readonly HistoryEntry[],
  last: Binding | undefined,
): readonly HistoryEntry[] => {
  const since = entries.find(({ at }) => at !== undefined)?.at;
  const records = last === undefined ? [] : recordedHistory(last);
  const older = records.filter(({ at = '' }) => since === undefined || at < since);
  return older.length === 0 ? entries : [...older, ...entries.filter(({ at }) => at !== undefined)];
};
