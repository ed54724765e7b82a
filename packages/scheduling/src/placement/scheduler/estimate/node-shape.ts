import type { PodShape } from './pod-shape.ts';

/** Resources of every node; others need a domain, or no kubelet reports them. */
const BUILT_IN: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const isNodeResource = (name: string): boolean =>
  BUILT_IN.has(name) ||
  name.includes('/') ||
  name.startsWith('hugepages-') ||
  name.startsWith('attachable-volumes-');

/** The part of a shape that single nodes limit. */
export const nodeShape = (shape: PodShape): PodShape =>
  shape.filter(({ name }) => isNodeResource(name));

/** The number of pods of a shape that fit on a node. */
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
