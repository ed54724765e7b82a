import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { carriedPlacement } from '@perigee/scheduling/data/carried-placement';
import type { ClusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import type { RoomInFlight } from '@perigee/scheduling/queues/room-in-flight';
import type { Feasibility } from '@perigee/scheduling/queues/work-item';

const lessRoom = (facts: ClusterFacts, inFlight: RoomInFlight): ClusterFacts => {
  const taken = inFlight.in(facts.name);
  const { capacity } = facts;
  if (taken.size === 0 || capacity === undefined) return facts;
  const free = new Map(
    [...capacity.free].map(([resource, amount]) => [
      resource,
      { ...amount, parts: amount.parts - Number(taken.get(resource) ?? 0) },
    ]),
  );
  const pods = capacity.pods - Number(taken.get('pods') ?? 0);
  return { ...facts, capacity: { ...capacity, pods, free, grades: [] } };
};

/** Where work can run now, by what clusters report beside what they were promised to other work. */
export const feasibilityAmong = (
  { metadata, spec, status = {} }: ResourceBinding,
  clusters: readonly ClusterFacts[],
  inFlight: RoomInFlight,
): Feasibility => {
  const world = {
    clusters: clusters.map((facts) => lessRoom(facts, inFlight)),
    rules: standardRules,
  };
  const { outcome } = schedule(spec, status, world, carriedPlacement(metadata));
  if (outcome.kind === 'refused') {
    return { kind: 'not-now', missing: new Map(), clusters: clusters.map(({ name }) => name) };
  }
  return {
    kind: 'fits',
    clusters: Object.fromEntries(
      outcome.clusters.map(({ name, replicas = 0 }) => [name, replicas]),
    ),
  };
};
