import { type Quantity, subtractQuantity } from '@perigee/schema/values/quantity';
import type { NodeInUse } from '../status/cluster-usage.ts';
import type { PodUsage } from '../status/pod-usage.ts';
import type { NodeFeatures, ReadNodeClaim } from './node-claim.ts';

/** A node's total and free amounts, as integers. */
export interface NodeRoom {
  readonly name: string;
  readonly features: NodeFeatures;
  readonly whole: ReadonlyMap<string, number>;
  readonly free: Map<string, number>;
}

/** Reserves room for at most this many kinds of pending pods. */
const MOST_WAITING = 100;

/** Milli-cores, and whole units of other resources, rounded down or up. */
const wholeParts = (resource: string, { units, nanos }: Quantity, isUp: boolean): number => {
  const round = isUp ? Math.ceil : Math.floor;
  const parts =
    resource === 'cpu'
      ? Number(units) * 1000 + round(nanos / 1e6)
      : Number(units) + round(nanos / 1e9);
  return Math.min(parts, Number.MAX_SAFE_INTEGER);
};

const nodeRoom = ({ name, facts, usage }: NodeInUse): NodeRoom => {
  const whole = new Map<string, number>();
  const free = new Map<string, number>();
  for (const [resource, amount] of facts.allocatable) {
    const freeAmount = subtractQuantity(amount, usage.get(resource));
    whole.set(resource, wholeParts(resource, amount, true));
    free.set(resource, Math.max(0, wholeParts(resource, freeAmount, false)));
  }
  return { name, features: facts.features, whole, free };
};

interface WaitingPods {
  readonly claim: ReadNodeClaim;
  readonly amounts: readonly (readonly [resource: string, parts: number])[];
  count: number;
}

/** Groups equal pending pods, the most numerous first. */
const waitingPods = (podUsages: Iterable<PodUsage>): readonly WaitingPods[] => {
  const kinds = new Map<string, WaitingPods>();
  for (const { claim, requests } of podUsages) {
    if (claim === undefined) continue;
    const amounts = [...requests]
      .map(([resource, amount]) => [resource, wholeParts(resource, amount, true)] as const)
      .filter(([, parts]) => parts > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify([claim.key, amounts]);
    const sameKind = kinds.get(key);
    if (sameKind === undefined) kinds.set(key, { claim, amounts, count: 1 });
    else sameKind.count += 1;
  }
  return [...kinds.values()].sort((a, b) => b.count - a.count).slice(0, MOST_WAITING);
};

const timesIn = (free: ReadonlyMap<string, number>, { amounts }: WaitingPods): number =>
  amounts.reduce(
    (most, [resource, parts]) => Math.min(most, Math.floor((free.get(resource) ?? 0) / parts)),
    Number.POSITIVE_INFINITY,
  );

/** Places pending pods on the first nodes that fit; pods that fit nowhere reserve nothing. */
const seat = (nodes: readonly NodeRoom[], pods: WaitingPods): void => {
  let remainder = pods.count;
  for (const { features, name, free } of nodes) {
    if (remainder === 0) return;
    const count = Math.min(remainder, timesIn(free, pods));
    if (count === 0 || !pods.claim.accepts(features, name)) continue;
    for (const [resource, parts] of pods.amounts) {
      free.set(resource, (free.get(resource) ?? 0) - parts * count);
    }
    remainder -= count;
  }
};

/** All nodes with their free amounts, after running pods and room reserved for pending ones. */
export const nodeRooms = (usage: {
  nodes(): Iterable<NodeInUse>;
  waitingPods(): Iterable<PodUsage>;
}): readonly NodeRoom[] => {
  const nodes = Array.from(usage.nodes(), nodeRoom);
  for (const pods of waitingPods(usage.waitingPods())) seat(nodes, pods);
  return nodes;
};
