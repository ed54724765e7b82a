import { evictionReasons } from './eviction-reasons.ts';
import { findingReasons } from './finding-reasons.ts';
import { planReasons } from './plan-reasons.ts';
import type { Reasons } from './reason.ts';
import { rebalanceReasons } from './rebalance-reasons.ts';
import { targetReasons } from './schedule-trigger-reasons.ts';
import { suggestionReasons } from './suggestion-reasons.ts';

/** The reasons in fields that are not conditions, of objects and of what commands print. */
export const reasonsElsewhere: readonly Reasons[] = [
  evictionReasons,
  targetReasons,
  rebalanceReasons,
  findingReasons,
  planReasons,
  suggestionReasons,
];
