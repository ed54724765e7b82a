import { carriedPlacement } from '../data/carried-placement.ts';
import type { Binding } from '../placement/binding/binding.ts';
import { explain } from '../placement/scheduler/explain.ts';
import type { PlacementWorld } from '../placement/scheduler/place.ts';
import type { ClusterOf } from '../placement/scheduler/record-decision.ts';
import type { Decision } from '../placement/scheduler/schedule.ts';
import { refusalReason } from './stages/placement-stage.ts';

const MOST_LETTERS = 600;

/** Why a decision found no cluster, as an explanation tells it, for an Event; empty when there is nothing to add. */
export const refusalWords = (
  { metadata, spec, status = {} }: Binding,
  decision: Decision,
  { world, clusterOf }: { readonly world: PlacementWorld; readonly clusterOf: ClusterOf },
): string => {
  const carried = carriedPlacement(metadata);
  const told = { isFresh: false, clusterOf, status, world, ...(carried && { carried }) };
  const [attempt] = explain(spec, decision, told).attempts;
  if (attempt === undefined) return '';
  const words = refusalReason(attempt);
  return ` In detail: ${words.length <= MOST_LETTERS ? words : `${words.slice(0, MOST_LETTERS)}…`}`;
};
