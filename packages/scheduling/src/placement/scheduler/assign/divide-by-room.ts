import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { Candidate } from '../candidate.ts';
import type { PlacementRequest } from '../placement-request.ts';
import type { Assignment } from './assign-replicas.ts';
import { goSort } from './go-sort.ts';
import { type Party, webster } from './webster.ts';

/** A division of replicas: the number to assign, the weights, and the replicas that stay. */
interface Division {
  readonly count: number;
  readonly parties: readonly Party[];
  readonly keptReplicas: ReadonlyMap<string, number>;
}

const NONE: ReadonlyMap<string, number> = new Map();

const sumOf = (parties: readonly Party[]): number =>
  parties.reduce((sum, { votes }) => sum + votes, 0);

/**
 * A fresh decision assigns all replicas anew. Otherwise only the difference is assigned: additional replicas by the
 * free room, and a reduction in proportion to the present shares.
 */
const plan = (
  { isFresh, previous }: PlacementRequest,
  selection: readonly Candidate[],
  replicas: number,
): Division => {
  const selectedNames = new Set(selection.map(({ name }) => name));
  const keptReplicas = new Map([...previous].filter(([name]) => selectedNames.has(name)));
  if (isFresh) {
    const parties = selection.map(({ name, allocatable }) => ({
      name,
      votes: allocatable + (keptReplicas.get(name) ?? 0),
    }));
    return { count: replicas, parties, keptReplicas: NONE };
  }
  const before = [...keptReplicas.values()].reduce((sum, value) => sum + value, 0);
  if (before > replicas) {
    const parties = [...keptReplicas].map(([name, votes]) => ({ name, votes }));
    return { count: replicas, parties, keptReplicas: NONE };
  }
  const parties = selection.map(({ name, allocatable }) => ({ name, votes: allocatable }));
  return { count: replicas - before, parties, keptReplicas };
};

/** The fewest clusters with enough room, present ones first. */
const fewest = (parties: readonly Party[], { count, keptReplicas }: Division): readonly Party[] => {
  const has = ({ name }: Party): boolean => (keptReplicas.get(name) ?? 0) > 0;
  const preference = [...parties.filter(has), ...parties.filter((party) => !has(party))];
  let room = 0;
  const enough = preference.findIndex(({ votes }) => {
    room += votes;
    return room >= count;
  });
  return enough < 0 ? preference : preference.slice(0, enough + 1);
};

const merge = (
  { count, keptReplicas }: Division,
  parties: readonly Party[],
  uid: string | undefined,
) => {
  const seats = webster(count, parties, uid);
  if (keptReplicas.size === 0)
    return seats.map(({ name, seats }): TargetCluster => ({ name, replicas: seats }));
  const replicasByCluster = new Map(seats.map(({ name, seats }) => [name, seats]));
  for (const [name, replicas] of keptReplicas)
    replicasByCluster.set(name, (replicasByCluster.get(name) ?? 0) + replicas);
  return [...replicasByCluster].map(([name, replicas]): TargetCluster => ({ name, replicas }));
};

/** Divides replicas by the room that clusters have, in proportion or among as few as possible. */
export const divideByRoom = (
  request: PlacementRequest,
  selection: readonly Candidate[],
  replicas: number,
): Assignment => {
  const division = plan(request, selection, replicas);
  const { count, keptReplicas } = division;
  if (count === 0 && keptReplicas.size > 0) {
    return { targets: [...keptReplicas].map(([name, before]) => ({ name, replicas: before })) };
  }
  const room = sumOf(division.parties);
  if (room < count) {
    return { problem: `Clusters available replicas ${room} are not enough to schedule.` };
  }
  const byVotes = goSort(division.parties, (a, b) => a.votes > b.votes);
  const parties = request.strategy === 'aggregated' ? fewest(byVotes, division) : byVotes;
  return { targets: merge(division, parties, request.spec.resource.uid) };
};
