import type { Entry } from '../ends/entry.ts';
import { PIECE_BYTES } from '../ends/pieces.ts';
import type { Room } from '../ends/target.ts';
import type { Decision } from './decide-entry.ts';
import { sizeText } from './size-text.ts';

/** A plan in sum. The entries themselves are not kept, since there may be millions. */
export interface Totals {
  files: number;
  folders: number;
  links: number;
  skipped: number;
  bytes: number;
  /** Of files that are moved piece by piece. */
  bytesInPieces: number;
  /** Files and bytes that are not there yet. */
  filesToCopy: number;
  bytesToCopy: number;
  /** Bytes on the disk that new files take, and that those which they replace give back. */
  allocatedToCopy: number;
  allocatedToReplace: number;
  largestReplacement: number;
  /** Bytes of unfinished files that an earlier run has written. */
  resumable: number;
  entriesToMake: number;
  entriesToDelete: number;
}

export const noTotals = (): Totals => ({
  files: 0,
  folders: 0,
  links: 0,
  skipped: 0,
  bytes: 0,
  bytesInPieces: 0,
  filesToCopy: 0,
  bytesToCopy: 0,
  allocatedToCopy: 0,
  allocatedToReplace: 0,
  largestReplacement: 0,
  resumable: 0,
  entriesToMake: 0,
  entriesToDelete: 0,
});

const countFile = (totals: Totals, { size }: Entry): void => {
  totals.files++;
  totals.bytes += size;
  if (size > PIECE_BYTES) totals.bytesInPieces += size;
};

/** Adds what was decided about one entry. */
export const count = (
  totals: Totals,
  entry: Entry,
  decision: Decision,
  resumable: number,
): void => {
  switch (decision.do) {
    case 'clear':
      count(totals, entry, decision.next, resumable);
      return;
    case 'enter':
      totals.folders++;
      if (!decision.isThere) totals.entriesToMake++;
      return;
    case 'link':
      totals.links++;
      if (!decision.isThere) totals.entriesToMake++;
      return;
    case 'skip':
      totals.skipped++;
      return;
    case 'check':
      countFile(totals, entry);
      return;
    case 'copy':
      countFile(totals, entry);
      totals.filesToCopy++;
      totals.bytesToCopy += entry.size;
      totals.allocatedToCopy += Math.min(entry.size, entry.allocated);
      totals.allocatedToReplace += decision.replaces;
      if (decision.replaces > 0) {
        totals.largestReplacement = Math.max(totals.largestReplacement, entry.allocated);
      }
      totals.resumable += resumable;
      totals.entriesToMake++;
  }
};

/**
 * Why the plan has no room at the target. An old file goes when its successor is there, so that the largest
 * of them is needed on top.
 */
export const lackOfRoom = (totals: Totals, room: Room): string | undefined => {
  const bytes =
    totals.allocatedToCopy -
    totals.allocatedToReplace -
    totals.resumable +
    totals.largestReplacement;
  if (bytes > room.bytes) {
    return `the target has ${room.bytes} bytes free (${sizeText(room.bytes)}), and ${bytes} are needed (${sizeText(bytes)})`;
  }
  if (totals.entriesToMake > room.entries) {
    return `the target has room for ${room.entries} more files, and ${totals.entriesToMake} are needed`;
  }
  return undefined;
};
