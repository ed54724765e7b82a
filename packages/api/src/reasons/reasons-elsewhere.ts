import { evictionReasons } from './eviction-reasons.ts';
import { planReasons } from './plan-reasons.ts';
import type { Reasons } from './reason.ts';
import { rebalanceReasons } from './rebalance-reasons.ts';
import { targetReasons } from './schedule-trigger-reasons.ts';
import { suggestionReasons } from './suggestion-reasons.ts';

/** The reasons in fields of objects that are not conditions. */
export const reasonsElsewhere: readonly Reasons[] = [
  evictionReasons,
  targetReasons,
  rebalanceReasons,
  planReasons,
  suggestionReasons,
];
