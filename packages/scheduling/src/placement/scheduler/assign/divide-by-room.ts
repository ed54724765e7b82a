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
  readonly kept: ReadonlyMap<string, number>;
}

const NONE: ReadonlyMap<string, number> = new Map();

const sumOf = (parties: readonly Party[]): number =>
  parties.reduce((sum, { votes }) => sum + votes, 0);

/**
 * From scratch, everything is given out anew. Otherwise only the difference is: more replicas follow the
 * room that there is, and fewer leave each cluster its share.
 */
const plan = (
  { isFresh, previous }: PlacementRequest,
  selected: readonly Candidate[],
  replicas: number,
): Division => {
  const chosen = new Set(selected.map(({ name }) => name));
  const kept = new Map([...previous].filter(([name]) => chosen.has(name)));
  if (isFresh) {
    const parties = selected.map(({ name, allocatable }) => ({
      name,
      votes: allocatable + (kept.get(name) ?? 0),
    }));
    return { count: replicas, parties, kept: NONE };
  }
  const before = [...kept.values()].reduce((sum, value) => sum + value, 0);
  if (before > replicas) {
    const parties = [...kept].map(([name, votes]) => ({ name, votes }));
    return { count: replicas, parties, kept: NONE };
  }
  const parties = selected.map(({ name, allocatable }) => ({ name, votes: allocatable }));
  return { count: replicas - before, parties, kept };
};

/** As few clusters as have the room, those first that have the work already. */
const fewest = (sorted: readonly Party[], { count, kept }: Division): readonly Party[] => {
  const has = ({ name }: Party): boolean => (kept.get(name) ?? 0) > 0;
  const preferred = [...sorted.filter(has), ...sorted.filter((party) => !has(party))];
  let room = 0;
  const enough = preferred.findIndex(({ votes }) => {
    room += votes;
    return room >= count;
  });
  return enough < 0 ? preferred : preferred.slice(0, enough + 1);
};

const merge = ({ count, kept }: Division, parties: readonly Party[], uid: string | undefined) => {
  const won = webster(count, parties, uid);
  if (kept.size === 0)
    return won.map(({ name, seats }): TargetCluster => ({ name, replicas: seats }));
  const merged = new Map(won.map(({ name, seats }) => [name, seats]));
  for (const [name, replicas] of kept) merged.set(name, (merged.get(name) ?? 0) + replicas);
  return [...merged].map(([name, replicas]): TargetCluster => ({ name, replicas }));
};

/** Divides replicas by the room that clusters have, in proportion or among as few as possible. */
export const divideByRoom = (
  request: PlacementRequest,
  selected: readonly Candidate[],
  replicas: number,
): Assignment => {
  const division = plan(request, selected, replicas);
  const { count, kept } = division;
  if (count === 0 && kept.size > 0) {
    return { targets: [...kept].map(([name, before]) => ({ name, replicas: before })) };
  }
  const room = sumOf(division.parties);
  if (room < count) {
    return { problem: `Clusters available replicas ${room} are not enough to schedule.` };
  }
  const sorted = goSort(division.parties, (a, b) => a.votes > b.votes);
  const parties = request.strategy === 'aggregated' ? fewest(sorted, division) : sorted;
  return { targets: merge(division, parties, request.spec.resource.uid) };
};
