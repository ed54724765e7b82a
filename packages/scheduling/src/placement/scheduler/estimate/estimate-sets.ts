import type { Component } from '@perigee/api/kinds/placement/replica-requirements';
import type { Capacity, Grade } from './capacity.ts';
import { nodeShape, PODS_PER_NODE, podsOnNode } from './grade-nodes.ts';
import { type PodShape, podShapeOf } from './pod-shape.ts';

/** One of the kinds of pods that make a set. */
export interface SetPart {
  readonly replicas: number;
  readonly shape: PodShape;
}

export const setPartsOf = (components: readonly Component[]): readonly SetPart[] =>
  components.map(({ replicas, replicaRequirements }) => ({
    replicas,
    shape: podShapeOf(replicaRequirements?.resourceRequest),
  }));

/** Nodes that have the same left. A few sets make a few kinds of nodes, however many nodes there are. */
interface NodeGroup {
  count: number;
  readonly free: ReadonlyMap<string, number>;
  readonly pods: number;
}

const afterPods = ({ free, pods }: NodeGroup, shape: PodShape, taken: number): NodeGroup => ({
  count: 1,
  pods: pods - taken,
  free: new Map(
    [...free].map(([name, left]) => {
      const asked = shape.find((part) => part.name === name)?.amount.parts ?? 0;
      return [name, left - asked * taken];
    }),
  ),
});

/** Puts pods on the first nodes that have room. Tells whether all found a place. */
const placePods = (groups: NodeGroup[], { replicas, shape }: SetPart): boolean => {
  let left = replicas;
  for (let at = 0; at < groups.length && left > 0; at += 1) {
    const group = groups[at] as NodeGroup;
    const fit = podsOnNode(group.free, shape, group.pods);
    if (fit <= 0) continue;
    const full = Math.min(group.count, Math.floor(left / fit));
    const rest = full < group.count ? Math.min(fit, left - full * fit) : 0;
    const made: NodeGroup[] = [];
    if (full > 0) made.push({ ...afterPods(group, shape, fit), count: full });
    if (rest > 0) made.push(afterPods(group, shape, rest));
    const untouched = group.count - full - (rest > 0 ? 1 : 0);
    if (untouched > 0) made.push({ ...group, count: untouched });
    groups.splice(at, 1, ...made);
    at += made.length - 1;
    left -= full * fit + rest;
  }
  return left === 0;
};

const setsOnGrades = (grades: readonly Grade[], parts: readonly SetPart[], most: number) => {
  const groups: NodeGroup[] = grades
    .filter(({ count }) => count > 0)
    .map(({ count, free }) => ({ count, free, pods: PODS_PER_NODE }));
  const weighed = parts.map((part) => ({ ...part, shape: nodeShape(part.shape) }));
  let sets = 0;
  while (sets < most && weighed.every((part) => placePods(groups, part))) sets += 1;
  return sets;
};

/** How many whole sets, each of all its kinds of pods, a cluster could take. At most `enough` are counted. */
export const estimateSets = (
  capacity: Capacity | undefined,
  parts: readonly SetPart[],
  enough: number,
): number => {
  if (capacity === undefined || capacity.pods <= 0) return 0;
  const podsPerSet = parts.reduce((sum, { replicas }) => sum + replicas, 0);
  if (podsPerSet <= 0) return capacity.pods;
  const asked = new Map<string, number>();
  for (const { replicas, shape } of parts) {
    for (const { name, amount } of shape) {
      asked.set(name, (asked.get(name) ?? 0) + amount.parts * replicas);
    }
  }
  let most = Math.floor(capacity.pods / podsPerSet);
  for (const [name, parts_] of asked) {
    const left = capacity.free.get(name)?.parts ?? 0;
    if (left <= 0) return 0;
    most = Math.min(most, Math.floor(left / parts_));
  }
  return capacity.grades.length === 0
    ? most
    : setsOnGrades(capacity.grades, parts, Math.min(most, enough));
};
