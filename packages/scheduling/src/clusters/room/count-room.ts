import type { ClusterRoom, WrittenPool } from '@perigee/api/kinds/clusters/cluster-room';
import type { Labels } from '@perigee/api/values/label-requirement';
import { present, unlessEmpty } from '@perigee/schema/present';
import { type Alike, coarsen, type Vector } from './coarsen.ts';
import type { NodeFeatures } from './node-claim.ts';
import { poolNodes } from './node-pools.ts';
import type { NodeRoom } from './node-room.ts';
import { writtenAmount, writtenAmounts } from './room-amounts.ts';

/** The room without its timestamp. */
export type CountedRoom = Omit<ClusterRoom['spec'], 'countedAt'>;

/** Size limits: the object stays below 64 kB for any number of nodes. */
export interface RoomLimits {
  readonly pools: number;
  readonly labelBytes: number;
  readonly freeBytes: number;
  readonly wholeBytes: number;
}

export const ROOM_LIMITS: RoomLimits = {
  pools: 64,
  labelBytes: 8_192,
  freeBytes: 32_768,
  wholeBytes: 4_096,
};

/** The approximate size of a written group, and of each amount in it. */
const ENTRY_BYTES = 24;
const AMOUNT_BYTES = 9;

const entriesIn = (bytes: number, resources: readonly string[]): number =>
  Math.floor(bytes / (ENTRY_BYTES + AMOUNT_BYTES * resources.length));

/** The resources that at least one node has, sorted. */
const resourcesOf = (nodes: readonly NodeRoom[]): readonly string[] => {
  const names = new Set<string>();
  for (const { whole } of nodes) {
    for (const [name, amount] of whole) if (amount > 0) names.add(name);
  }
  return [...names].sort();
};

const vector = (amounts: ReadonlyMap<string, number>, resources: readonly string[]): Vector =>
  resources.map((name) => amounts.get(name) ?? 0);

const negate = (amounts: Vector): Vector => amounts.map((amount) => 0 - amount);

/** Coarsens upwards: no node has more than reported. */
const roundedUp = (sets: readonly (readonly Vector[])[], most: number) =>
  coarsen(
    sets.map((set) => set.map(negate)),
    most,
  ).map((set) => set.map(({ count, amounts }): Alike => ({ count, amounts: negate(amounts) })));

const sharedLabels = (pools: readonly { readonly features: NodeFeatures }[]): Labels => {
  const [first, ...others] = pools.map(({ features }) => features.labels);
  return Object.fromEntries(
    Object.entries(first ?? {}).filter(([key, value]) =>
      others.every((labels) => labels[key] === value),
    ),
  );
};

const without = (labels: Labels, commonLabels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !Object.hasOwn(commonLabels, key)));

const writtenAlike = (entries: readonly Alike[], resources: readonly string[]) =>
  entries.map(({ count, amounts }) => ({
    nodes: count,
    each: resources.map((name, at) => writtenAmount(name, amounts[at] as number)),
  }));

const unlessNone = <V extends object>(value: V): V | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

const sumAt = (sets: readonly (readonly Alike[])[], at: number): number =>
  sets.flat().reduce((sum, { count, amounts }) => sum + count * (amounts[at] as number), 0);

const eachAlone = (set: readonly Vector[]): readonly Alike[] =>
  set.map((amounts) => ({ count: 1, amounts }));

/** The free amounts that the coarse groups do not show. */
const roundedOff = (
  sets: readonly (readonly Vector[])[],
  roundedSets: readonly (readonly Alike[])[],
  resources: readonly string[],
) => {
  const all = sets.map(eachAlone);
  return writtenAmounts(
    resources.map((name, at) => [name, sumAt(all, at) - sumAt(roundedSets, at)]),
  );
};

/** The free room of all nodes within the limits: exact if it fits, else a lower bound. */
export const countRoom = (nodes: readonly NodeRoom[], limits = ROOM_LIMITS): CountedRoom => {
  const { pools, untold } = poolNodes(nodes, limits);
  const resources = resourcesOf(nodes);
  // A node at its pod limit has no room, whatever else is free.
  const freeSets = pools.map((pool) =>
    pool.nodes
      .filter(({ free }) => (free.get('pods') ?? 0) > 0)
      .map(({ free }) => vector(free, resources)),
  );
  const free = coarsen(freeSets, entriesIn(limits.freeBytes, resources));
  const wholeSets = pools.map((pool) => pool.nodes.map(({ whole }) => vector(whole, resources)));
  const whole = roundedUp(wholeSets, entriesIn(limits.wholeBytes, resources));
  const listedNodes = pools.reduce((sum, pool) => sum + pool.nodes.length, 0);
  const commonLabels = sharedLabels(pools);
  return {
    nodes: nodes.length,
    ...present({
      leftOut: listedNodes < nodes.length ? nodes.length - listedNodes : undefined,
      labels: unlessNone(commonLabels),
      untoldLabels: unlessEmpty(untold),
      roundedOff: unlessNone(roundedOff(freeSets, free, resources)),
    }),
    resources,
    ...present({
      pools: unlessEmpty(
        pools.map(({ features }, at): WrittenPool => {
          const { labels, taints, isUnschedulable } = features;
          return present({
            labels: unlessNone(without(labels, commonLabels)),
            taints: unlessEmpty(taints),
            unschedulable: isUnschedulable || undefined,
            free: unlessEmpty(writtenAlike(free[at] ?? [], resources)),
            whole: unlessEmpty(writtenAlike(whole[at] ?? [], resources)),
          });
        }),
      ),
    }),
  };
};
