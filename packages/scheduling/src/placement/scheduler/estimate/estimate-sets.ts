import type { Component } from '@perigee/api/kinds/placement/replica-requirements';
import { readNodeClaim } from '../../../clusters/room/node-claim.ts';
import type { Capacity } from './capacity.ts';
import { type NodeGroup, type PodKind, placePods } from './node-group.ts';
import { nodeShape } from './node-shape.ts';
import { podShapeOf } from './pod-shape.ts';

/** One of the kinds of pods that make a set. */
export interface SetPart extends PodKind {
  readonly replicas: number;
}

export const setPartsOf = (components: readonly Component[]): readonly SetPart[] =>
  components.map(({ replicas, replicaRequirements }) => ({
    replicas,
    shape: podShapeOf(replicaRequirements?.resourceRequest),
    claim: readNodeClaim(replicaRequirements?.nodeClaim),
  }));

/** The number of sets that fit together; the pods of each go to the first nodes with room. */
const setsOnGroups = (
  nodes: readonly NodeGroup[],
  parts: readonly SetPart[],
  most: number,
): number => {
  const groups = nodes.filter(({ count }) => count > 0);
  const nodeParts = parts.map((part) => ({ ...part, shape: nodeShape(part.shape) }));
  let sets = 0;
  while (
    sets < most &&
    nodeParts.every(({ replicas, ...kind }) => placePods(groups, kind, replicas) === 0)
  ) {
    sets += 1;
  }
  return sets;
};

/** The number of whole sets, each of all its kinds of pods, that fit in a cluster, capped at `enough`. */
export const estimateSets = (
  capacity: Capacity | undefined,
  parts: readonly SetPart[],
  enough: number,
): number => {
  if (capacity === undefined || capacity.pods <= 0) return 0;
  const podsPerSet = parts.reduce((sum, { replicas }) => sum + replicas, 0);
  if (podsPerSet <= 0) return capacity.pods;
  const requestPerSet = new Map<string, number>();
  for (const { replicas, shape } of parts) {
    for (const { name, amount } of shape) {
      requestPerSet.set(name, (requestPerSet.get(name) ?? 0) + amount.parts * replicas);
    }
  }
  let most = Math.floor(capacity.pods / podsPerSet);
  for (const [name, parts_] of requestPerSet) {
    const freeParts = capacity.free.get(name)?.parts ?? 0;
    if (freeParts <= 0) return 0;
    most = Math.min(most, Math.floor(freeParts / parts_));
  }
  return capacity.grades.length === 0
    ? most
    : setsOnGroups(capacity.grades, parts, Math.min(most, enough));
};
