import type { Grade } from './capacity.ts';
import type { PodShape } from './pod-shape.ts';

/** The grades say nothing about pods; this many is what Kubernetes recommends for a node. */
export const PODS_PER_NODE = 110;

/** A resource that a node could have, as opposed to a word that no kubelet would understand. */
const BUILT_IN: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const isNodeResource = (name: string): boolean =>
  BUILT_IN.has(name) ||
  name.includes('/') ||
  name.startsWith('hugepages-') ||
  name.startsWith('attachable-volumes-');

/** The part of a shape that is weighed against single nodes. */
export const nodeShape = (shape: PodShape): PodShape =>
  shape.filter(({ name }) => isNodeResource(name));

/** How many pods of a shape fit beside each other on a node. */
export const podsOnNode = (
  free: ReadonlyMap<string, number>,
  shape: PodShape,
  pods: number,
): number => {
  let most = pods;
  for (const { name, amount } of shape) {
    most = Math.min(most, Math.floor((free.get(name) ?? 0) / amount.parts));
  }
  return most;
};

/**
 * How many pods of one shape fit on all nodes. Pods that are all alike never stand in each other's way,
 * so that each node can be filled by itself, and each grade by a product.
 */
export const podsOnGrades = (grades: readonly Grade[], shape: PodShape): number => {
  const weighed = nodeShape(shape);
  return grades.reduce(
    (sum, { count, free }) => sum + count * podsOnNode(free, weighed, PODS_PER_NODE),
    0,
  );
};
