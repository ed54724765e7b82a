import { seededRandom } from '@perigee/kube/clock/seeded-random';
import {
  type ShardedCluster,
  type Sharding,
  settledIn,
} from '@perigee/scheduling/clusters/sharding/sharding';

export interface ChurnCase {
  readonly clusters: number;
  readonly schedulers: number;
}

const EVENTS = 60;
/** The slow repair comes once in so many events, with its usual limit. */
const REPAIR_EVERY = 3;
const REPAIRS = 50;

/** Puts a hundredth of the clusters out and as many others in. */
const exchange = (
  fleet: readonly ShardedCluster[],
  spare: ShardedCluster[],
  random: () => number,
): readonly ShardedCluster[] => {
  const present = [...fleet];
  for (let turn = 0; turn < fleet.length / 100; turn += 1) {
    const [gone] = present.splice(Math.floor(random() * present.length), 1);
    const [come] = spare.splice(Math.floor(random() * spare.length), 1);
    if (gone === undefined || come === undefined) break;
    const { home: _, ...homeless } = gone;
    spare.push(homeless);
    present.push(come);
  }
  return present;
};

/** The clusters with their homes after schedulers and clusters have come and gone for a while. */
export const afterChurn = (
  sharding: Sharding,
  pool: readonly ShardedCluster[],
  { clusters, schedulers }: ChurnCase,
): { readonly fleet: readonly ShardedCluster[]; readonly schedulers: number } => {
  const random = seededRandom(clusters);
  const spare = pool.slice(clusters);
  const names = Array.from({ length: schedulers }, (_, at) => `scheduler${at}`);
  const shard = (present: readonly ShardedCluster[], repairs: number) =>
    settledIn(present, sharding(present, names, { repairs }));
  let fleet = shard(pool.slice(0, clusters), 0);
  for (let event = 0; event < EVENTS; event += 1) {
    const chance = random();
    if (chance < 0.15 && names.length < schedulers * 1.5) names.push(`later${event}`);
    else if (chance < 0.3 && names.length > schedulers * 0.6) {
      names.splice(Math.floor(random() * names.length), 1);
    } else fleet = exchange(fleet, spare, random);
    fleet = shard(fleet, 0);
    if (event % REPAIR_EVERY === 0) fleet = shard(fleet, REPAIRS);
  }
  return { fleet, schedulers: names.length };
};
