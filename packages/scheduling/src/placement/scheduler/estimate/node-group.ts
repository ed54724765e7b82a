import type { NodeFeatures, ReadNodeClaim } from '../../../clusters/room/node-claim.ts';
import { podsOnNode } from './node-shape.ts';
import type { PodShape } from './pod-shape.ts';

/** Nodes with equal free amounts: a few kinds of pods make few groups, however many nodes there are. */
export interface NodeGroup {
  readonly count: number;
  readonly free: ReadonlyMap<string, number>;
  readonly pods: number;
  /** Absent if only amounts are known: every pod may run there. */
  readonly features?: NodeFeatures;
}

/** Pods of one kind, and the nodes that they may run on. */
export interface PodKind {
  readonly shape: PodShape;
  readonly claim: ReadNodeClaim;
}

export const takes = ({ features }: NodeGroup, { claim }: PodKind): boolean =>
  features === undefined || claim.accepts(features);

/** The group with additional pods on each node. */
export const withPods = (
  { free, pods, ...rest }: NodeGroup,
  shape: PodShape,
  more: number,
): NodeGroup => ({
  ...rest,
  pods: pods - more,
  free: new Map(
    [...free].map(([name, amount]) => {
      const request = shape.find((part) => part.name === name)?.amount.parts ?? 0;
      return [name, amount - request * more];
    }),
  ),
});

/** The number of pods of one kind that fit on all nodes. Identical pods cannot block each other. */
export const podsOnGroups = (groups: readonly NodeGroup[], kind: PodKind): number =>
  groups.reduce((sum, group) => {
    const fit = podsOnNode(group.free, kind.shape, group.pods);
    return fit > 0 && takes(group, kind) ? sum + group.count * fit : sum;
  }, 0);

/** The most of a resource that one of the nodes has free for another pod. */
export const mostFree = (groups: readonly NodeGroup[], resource: string): number =>
  groups.reduce(
    (most, { free, pods }) => (pods > 0 ? Math.max(most, free.get(resource) ?? 0) : most),
    0,
  );

/** Places pods on the first nodes with room. Returns the number of unplaced ones. */
export const placePods = (groups: NodeGroup[], kind: PodKind, replicas: number): number => {
  let remainder = replicas;
  for (let at = 0; at < groups.length && remainder > 0; at += 1) {
    const group = groups[at] as NodeGroup;
    const fit = podsOnNode(group.free, kind.shape, group.pods);
    if (fit <= 0 || !takes(group, kind)) continue;
    const full = Math.min(group.count, Math.floor(remainder / fit));
    const rest = full < group.count ? Math.min(fit, remainder - full * fit) : 0;
    const newGroups: NodeGroup[] = [];
    if (full > 0) newGroups.push({ ...withPods(group, kind.shape, fit), count: full });
    if (rest > 0) newGroups.push({ ...withPods(group, kind.shape, rest), count: 1 });
    const emptyNodes = group.count - full - (rest > 0 ? 1 : 0);
    if (emptyNodes > 0) newGroups.push({ ...group, count: emptyNodes });
    groups.splice(at, 1, ...newGroups);
    at += newGroups.length - 1;
    remainder -= full * fit + rest;
  }
  return remainder;
};
