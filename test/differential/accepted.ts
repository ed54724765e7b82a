import type { Difference } from './difference.ts';
import type { Operation } from './operation.ts';

interface Accepted {
  readonly why: string;
  readonly covers: (about: Operation | string, difference: Difference) => boolean;
}

/** Differences that are known and meant. Everything else is a finding. */
export const ACCEPTED: readonly Accepted[] = [];

/** Why a difference is no finding, if it is none. */
export const acceptedReason = (
  about: Operation | string,
  difference: Difference,
): string | undefined => ACCEPTED.find(({ covers }) => covers(about, difference))?.why;
