import type { Queue } from '@perigee/api/kinds/queues/queue';
import { parentOf } from './queue-names.ts';

/** Looks up queues by name and by parent. */
export interface QueueFamily {
  readonly get: (name: string) => Queue | undefined;
  /** The queues whose parent has this name. */
  readonly childrenOf: (name: string) => readonly Queue[];
}

/** Deeper trees are rejected as a mistake. */
export const MOST_LEVELS = 10;

/** The ancestors of a queue, the nearest first; at most `MOST_LEVELS`. */
export const ancestorsOf = (queue: Queue, family: QueueFamily): readonly Queue[] => {
  const ancestors: Queue[] = [];
  let name = parentOf(queue);
  while (name !== undefined && ancestors.length <= MOST_LEVELS) {
    const above = family.get(name);
    if (above === undefined) break;
    ancestors.push(above);
    name = parentOf(above);
  }
  return ancestors;
};

/** The depth of the tree below a queue, counted up to `MOST_LEVELS`. */
export const levelsBelow = (name: string, family: QueueFamily): number => {
  let level: readonly string[] = [name];
  for (let count = 0; ; count += 1) {
    const next = level.flatMap((one) =>
      family.childrenOf(one).map(({ metadata }) => metadata.name),
    );
    if (next.length === 0 || count > MOST_LEVELS) return count;
    level = next;
  }
};
