import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { carriedPlacement } from '@perigee/scheduling/data/carried-placement';
import type { ClusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { feasible } from '@perigee/scheduling/queues/feasible';
import type { RoomInFlight } from '@perigee/scheduling/queues/room-in-flight';
import type { Feasibility } from '@perigee/scheduling/queues/work-item';

/** Where work can run now, by what clusters have beside what they were promised to other work. */
export const feasibilityAmong = (
  { metadata, spec, status = {} }: ResourceBinding,
  clusters: readonly ClusterFacts[],
  { room }: RoomInFlight,
): Feasibility => {
  const carried = carriedPlacement(metadata);
  const work = { spec, status, ...(carried === undefined ? {} : { carried }) };
  return feasible(work, { clusters, rules: standardRules }, room);
};

/** In how many clusters work runs as a whole: those that the scheduler would choose now; one when there are none. */
export const copiesAmong = (
  { metadata, spec, status = {} }: ResourceBinding,
  clusters: readonly ClusterFacts[],
): number => {
  const world = { clusters, rules: standardRules };
  const { outcome } = schedule(spec, status, world, carriedPlacement(metadata));
  return outcome.kind === 'placed' ? Math.max(1, outcome.clusters.length) : 1;
};
