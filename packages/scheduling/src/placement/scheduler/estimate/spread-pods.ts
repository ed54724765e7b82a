import type { SetPart } from './estimate-sets.ts';
import { type NodeGroup, type PodKind, podsOnGroups, takes, withPods } from './node-group.ts';
import { nodeShape, podsOnNode } from './node-shape.ts';

export interface SpreadPods {
  readonly groups: readonly NodeGroup[];
  /** The number of pods without a node. */
  readonly remainder: number;
}

/** The resources whose load is balanced, as in kube-scheduler. */
const LOADS = ['cpu', 'memory'];

const emptinessAmong = (groups: readonly NodeGroup[]) => {
  const most = LOADS.map((name) =>
    groups.reduce((max, { free }) => Math.max(max, free.get(name) ?? 0), 1),
  );
  return ({ free }: NodeGroup): number =>
    LOADS.reduce((sum, name, at) => sum + (free.get(name) ?? 0) / (most[at] as number), 0);
};

/** The key of a group by its free amounts. */
const textOf = ({ free, pods }: NodeGroup): string => JSON.stringify([pods, [...free].sort()]);

interface OpenGroup {
  readonly group: NodeGroup;
  readonly emptiness: number;
}

const isBefore = (a: OpenGroup, b: OpenGroup): boolean =>
  a.emptiness === b.emptiness ? textOf(a.group) < textOf(b.group) : a.emptiness > b.emptiness;

/**
 * Places pods as kube-scheduler does, each on the emptiest node with room: the rest is then more fragmented than if
 * one node were filled after the other.
 */
export const spreadPods = (
  nodes: readonly NodeGroup[],
  kind: PodKind,
  replicas: number,
): SpreadPods => {
  const shape = nodeShape(kind.shape);
  const emptiness = emptinessAmong(nodes);
  const open: OpenGroup[] = nodes
    .filter((group) => takes(group, kind))
    .map((group) => ({ group, emptiness: emptiness(group) }));
  const closedGroups = nodes.filter((group) => !takes(group, kind));
  let remainder = replicas;
  while (remainder > 0) {
    let at = -1;
    for (const [index, one] of open.entries()) {
      const best = open[at];
      if (best !== undefined && !isBefore(one, best)) continue;
      if (podsOnNode(one.group.free, shape, one.group.pods) > 0) at = index;
    }
    const emptiest = open[at];
    if (emptiest === undefined) break;
    const { group } = emptiest;
    // Of equal nodes, each gets a pod before any gets a second.
    const count = Math.min(group.count, remainder);
    const fuller = { ...withPods(group, shape, 1), count };
    const rest = group.count - count;
    open.splice(
      at,
      1,
      { group: fuller, emptiness: emptiness(fuller) },
      ...(rest > 0 ? [{ ...emptiest, group: { ...group, count: rest } }] : []),
    );
    remainder -= count;
  }
  return { groups: [...open.map(({ group }) => group), ...closedGroups], remainder };
};

/** Places a set of pods, one kind after the other; undefined if a pod does not fit. */
const spreadSet = (
  nodes: readonly NodeGroup[],
  parts: readonly SetPart[],
): readonly NodeGroup[] | undefined => {
  let groups = nodes;
  for (const { replicas, ...kind } of parts) {
    // Pods of one kind cannot block each other: no need to place the first of two billion.
    if (podsOnGroups(groups, { ...kind, shape: nodeShape(kind.shape) }) < replicas)
      return undefined;
    const after = spreadPods(groups, kind, replicas);
    if (after.remainder > 0) return undefined;
    groups = after.groups;
  }
  return groups;
};

/** The number of whole sets that fit together, up to a limit. */
export const spreadSets = (
  nodes: readonly NodeGroup[],
  parts: readonly SetPart[],
  most: number,
): number => {
  let groups = spreadSet(nodes, parts);
  let sets = 0;
  while (groups !== undefined && sets < most) {
    sets += 1;
    if (sets < most) groups = spreadSet(groups, parts);
  }
  return sets;
};
