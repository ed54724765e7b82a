import type { Placement } from '@perigee/api/kinds/placement/placement';
import { sameJson } from '@perigee/schema/same-json';
import { carriedPlacement } from '../../data/carried-placement.ts';
import { APPLIED_PLACEMENT, type Binding } from '../../placement/binding/binding.ts';
import { readPlacement } from '../../placement/scheduler/scheduling-cause.ts';

const FIELDS: readonly (readonly [keyof Placement, string])[] = [
  ['clusterAffinity', 'cluster affinity'],
  ['clusterAffinities', 'cluster affinities'],
  ['clusterTolerations', 'tolerations'],
  ['spreadConstraints', 'spread constraints'],
  ['replicaScheduling', 'way to divide replicas'],
  ['workloadAffinity', 'workload affinity'],
];

type PlacementState = Pick<Binding, 'metadata' | 'spec'>;

/** Describes how the placement of a binding differs from the one of its last decision, in `decision`. */
export const placementMessage = (
  decision: PlacementState,
  { metadata, spec }: PlacementState,
): string => {
  const appliedText = decision.metadata.annotations?.[APPLIED_PLACEMENT];
  const before = appliedText === undefined ? undefined : readPlacement(appliedText);
  if (before === undefined) return 'it is placed for the first time';
  const { placement = {} as Placement } = spec;
  const within = carriedPlacement(metadata)?.within;
  if (within !== undefined && sameJson(within.base(), before)) {
    return `it may run only where its data is: ${within.data}`;
  }
  const changedFields = FIELDS.filter(([field]) => !sameJson(placement[field], before[field]));
  const names = changedFields.map(([, name]) => name).join(', ');
  return names === ''
    ? 'it may be in other clusters than before'
    : `its policy has another ${names} than before`;
};
