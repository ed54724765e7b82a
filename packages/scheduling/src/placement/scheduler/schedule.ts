import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { CarriedPlacement } from '../../data/carried-placement.ts';
import type { Outcome } from './outcome.ts';
import { type PlacementWorld, place } from './place.ts';
import { isRescheduleDue, placementRequest } from './placement-request.ts';

/** A decision, with its attempts. */
export interface Decision {
  readonly outcome: Outcome;
  /** The successful term, for placements with terms. */
  readonly affinityName?: string;
  /** One attempt per term, in order. */
  readonly attempts: readonly Outcome[];
}

const NO_PLACEMENT: Outcome = {
  kind: 'refused',
  reason: 'Unschedulable',
  message: 'the binding has no placement',
  reasoning: { refused: [], candidates: [], scores: {}, selected: [] },
};

/**
 * The terms to try: those from the present one on, or all for a fresh schedule. Work whose data moved may have to
 * return to an earlier one.
 */
const termsOf = (
  { clusterAffinities = [] }: Placement,
  spec: BindingSpec,
  status: BindingStatus,
  dataPlacement: CarriedPlacement | undefined,
): readonly string[] => {
  const names = clusterAffinities.map(({ affinityName }) => affinityName);
  if (isRescheduleDue(spec, status)) return names;
  const current = Math.max(0, names.indexOf(status.schedulerObservingAffinityName ?? ''));
  const onwards = names.slice(current);
  return dataPlacement?.within === undefined ? onwards : [...onwards, ...names.slice(0, current)];
};

/**
 * Places a binding. The terms of its placement are tried in order until one succeeds; if none does, the first gives
 * the reason.
 * @param carried The data that limits the placement, for the reasons of refused clusters.
 */
export const schedule = (
  spec: BindingSpec,
  status: BindingStatus,
  world: PlacementWorld,
  dataPlacement?: CarriedPlacement,
): Decision => {
  const { placement } = spec;
  if (placement === undefined) return { outcome: NO_PLACEMENT, attempts: [] };
  const terms =
    placement.clusterAffinity === undefined ? termsOf(placement, spec, status, dataPlacement) : [];
  if (terms.length === 0) {
    const outcome = place(placementRequest(spec, status, placement, '', dataPlacement), world);
    return { outcome, attempts: [outcome] };
  }
  const attempts: Outcome[] = [];
  for (const affinityName of terms) {
    const request = placementRequest(spec, status, placement, affinityName, dataPlacement);
    const outcome = place(request, world);
    attempts.push(outcome);
    if (outcome.kind === 'placed') return { outcome, affinityName, attempts };
  }
  return { outcome: attempts[0] as Outcome, attempts };
};
