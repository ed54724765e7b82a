import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { present } from '@perigee/schema/present';
import type { Binding } from '../placement/binding/binding.ts';
import { type ClusterFacts, clusterFacts } from '../placement/scheduler/cluster-facts.ts';
import type { SetPart } from '../placement/scheduler/estimate/estimate-sets.ts';
import type { ClusterSpace } from '../placement/scheduler/estimate/exact-room.ts';
import { withPodsMore } from '../placement/scheduler/estimate/take-room.ts';
import { roomWithout } from '../queues/room-without.ts';
import { podsOfWork } from '../queues/work-pods.ts';

type Parts = ReadonlyMap<string, readonly SetPart[]>;

const NONE: readonly SetPart[] = [];

/** The pods of a binding by cluster, including those being evicted. */
const partsOf = ({ spec }: Binding): Parts => {
  const replicas = new Map<string, number | undefined>();
  const add = (name: string, more: number | undefined): void => {
    const sum = replicas.get(name);
    replicas.set(name, sum === undefined ? more : sum + (more ?? 0));
  };
  for (const target of spec.clusters ?? []) add(target.name, target.replicas);
  for (const task of spec.gracefulEvictionTasks ?? []) add(task.fromCluster, task.replicas);
  return new Map([...replicas].map(([name, count]) => [name, podsOfWork(spec, count)]));
};

const shapeText = (parts: readonly SetPart[]): string =>
  JSON.stringify(parts.map(({ shape, claim }) => [shape, claim.key]));

const partsText = (parts: readonly SetPart[]): string =>
  JSON.stringify([parts.map(({ replicas }) => replicas), shapeText(parts)]);

/** The parts grown by the difference in replicas, if both differ in nothing else. */
const grownBy = (now: readonly SetPart[], before: readonly SetPart[], sign: 1 | -1) =>
  now.flatMap((part, at) => {
    const replicas = sign * (part.replicas - (before[at]?.replicas ?? 0));
    return replicas > 0 ? [{ ...part, replicas }] : [];
  });

const adjustRoom = (
  cluster: ClusterFacts,
  now: readonly SetPart[],
  before: readonly SetPart[],
): ClusterFacts => {
  const isSameShape = shapeText(now) === shapeText(before);
  const shrinkage = isSameShape ? grownBy(now, before, -1) : before;
  const come = isSameShape ? grownBy(now, before, 1) : now;
  const part = { cluster: cluster.name, pods: shrinkage, isThere: true };
  const [freerCluster = cluster] =
    shrinkage.length === 0 ? [cluster] : roomWithout([cluster], [part]);
  return come.length === 0 ? freerCluster : withPodsMore(freerCluster, come);
};

/**
 * The free room of clusters. The counts that were read include the work placed then; later arrivals and departures are
 * booked here, as the reports of the clusters would.
 */
export class RoomLedger {
  readonly #facts = new Map<string, ClusterFacts>();
  readonly #spaces: ReadonlyMap<string, ClusterSpace>;
  /** By binding, the pods that the reports count; absent while unchanged. */
  readonly #bookings = new Map<string, Parts>();
  #all: readonly ClusterFacts[] | undefined;

  constructor(spaces: ReadonlyMap<string, ClusterSpace>) {
    this.#spaces = spaces;
  }

  /** The identical array until something changes. */
  get all(): readonly ClusterFacts[] {
    this.#all ??= [...this.#facts.values()];
    return this.#all;
  }

  get(cluster: string): ClusterFacts | undefined {
    return this.#facts.get(cluster);
  }

  /** Adds or updates a cluster, with the pods booked so far. */
  setCluster(cluster: MemberCluster): void {
    const { name } = cluster.metadata;
    const entry = this.#facts.get(name);
    const { capacity, ...facts } = clusterFacts(cluster);
    const room = entry ?? { space: this.#spaces.get(name), capacity };
    this.#put({
      ...facts,
      ...present({ space: room.space, capacity: room.capacity }),
    });
  }

  removeCluster(name: string): void {
    this.#facts.delete(name);
    this.#all = undefined;
  }

  /** The room of a cluster with pods added or removed. */
  change(cluster: string, now: readonly SetPart[], before: readonly SetPart[]): void {
    const facts = this.#facts.get(cluster);
    if (facts !== undefined) this.#put(adjustRoom(facts, now, before));
  }

  /** Moves the booked pods of a binding; returns the clusters whose room changes. */
  book(key: string, before: Binding | undefined, now: Binding | undefined): readonly string[] {
    const bookedParts: Parts = this.#bookings.get(key) ?? (before ? partsOf(before) : new Map());
    const parts: Parts = now ? partsOf(now) : new Map();
    this.#bookings.set(key, parts);
    const changedClusters: string[] = [];
    for (const cluster of new Set([...bookedParts.keys(), ...parts.keys()])) {
      const [then, later] = [bookedParts.get(cluster) ?? NONE, parts.get(cluster) ?? NONE];
      if (partsText(then) === partsText(later)) continue;
      this.change(cluster, later, then);
      changedClusters.push(cluster);
    }
    return changedClusters;
  }

  #put(facts: ClusterFacts): void {
    this.#facts.set(facts.name, facts);
    this.#all = undefined;
  }
}
