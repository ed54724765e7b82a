import { NO_CLAIM } from '../../../clusters/room/node-claim.ts';
import type { Capacity } from './capacity.ts';
import { podsOnGroups } from './node-group.ts';
import { nodeShape } from './node-shape.ts';
import type { PodShape } from './pod-shape.ts';

const podsBySummary = ({ pods, free }: Capacity, shape: PodShape): number => {
  let most = pods;
  for (const { name, amount } of shape) {
    const freeAmount = free.get(name);
    if (freeAmount === undefined || freeAmount.units <= 0) return 0;
    most = Math.min(most, Math.floor(freeAmount.parts / amount.parts));
  }
  return most;
};

/**
 * The number of pods of a shape that fit in a cluster. With node grades it counts node by node; without, it divides the
 * free sum of all nodes, which overestimates fragmented room.
 */
export const estimatePods = (capacity: Capacity | undefined, shape?: PodShape): number => {
  if (capacity === undefined || capacity.pods <= 0) return 0;
  if (shape === undefined) return capacity.pods;
  if (capacity.grades.length === 0) return podsBySummary(capacity, shape);
  const kind = { shape: nodeShape(shape), claim: NO_CLAIM };
  return Math.min(capacity.pods, podsOnGroups(capacity.grades, kind));
};
