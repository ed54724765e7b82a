import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { CarriedPlacement } from '../../data/carried-placement.ts';
import type { Outcome } from './outcome.ts';
import { type PlacementWorld, place } from './place.ts';
import { isRescheduleDue, placementRequest } from './placement-request.ts';

/** A decision, and the terms of the placement that were tried for it. */
export interface Decision {
  readonly outcome: Outcome;
  /** The term that succeeded, for placements that have terms. */
  readonly affinityName?: string;
  /** One for each term, in the order in which they were tried. */
  readonly attempts: readonly Outcome[];
}

const NO_PLACEMENT: Outcome = {
  kind: 'refused',
  reason: 'Unschedulable',
  message: 'the binding has no placement',
  reasoning: { refused: [], candidates: [], scores: {}, selected: [] },
};

/**
 * The terms still to be tried: those from the present one on, or all when a fresh start is due. Work whose data moved
 * may have to go back to an earlier one.
 */
const termsOf = (
  { clusterAffinities = [] }: Placement,
  spec: BindingSpec,
  status: BindingStatus,
  carried: CarriedPlacement | undefined,
): readonly string[] => {
  const names = clusterAffinities.map(({ affinityName }) => affinityName);
  if (isRescheduleDue(spec, status)) return names;
  const present = Math.max(0, names.indexOf(status.schedulerObservingAffinityName ?? ''));
  const onwards = names.slice(present);
  return carried?.within === undefined ? onwards : [...onwards, ...names.slice(0, present)];
};

/**
 * Decides where a binding goes. The terms of its placement are tried in order until one succeeds; when none
 * does, the first says why.
 * @param carried The data that the placement is within, to say for which clusters that is the reason.
 */
export const schedule = (
  spec: BindingSpec,
  status: BindingStatus,
  world: PlacementWorld,
  carried?: CarriedPlacement,
): Decision => {
  const { placement } = spec;
  if (placement === undefined) return { outcome: NO_PLACEMENT, attempts: [] };
  const terms =
    placement.clusterAffinity === undefined ? termsOf(placement, spec, status, carried) : [];
  if (terms.length === 0) {
    const outcome = place(placementRequest(spec, status, placement, '', carried), world);
    return { outcome, attempts: [outcome] };
  }
  const attempts: Outcome[] = [];
  for (const affinityName of terms) {
    const request = placementRequest(spec, status, placement, affinityName, carried);
    const outcome = place(request, world);
    attempts.push(outcome);
    if (outcome.kind === 'placed') return { outcome, affinityName, attempts };
  }
  return { outcome: attempts[0] as Outcome, attempts };
};
