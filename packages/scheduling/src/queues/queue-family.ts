import type { Queue } from '@perigee/api/kinds/queues/queue';
import { parentOf } from './queue-names.ts';

/** Finds the queues around a queue. */
export interface QueueFamily {
  readonly get: (name: string) => Queue | undefined;
  /** Those whose parent is the one of this name. */
  readonly childrenOf: (name: string) => readonly Queue[];
}

/** More levels than this are taken for a mistake. */
export const MOST_LEVELS = 10;

/** The queues above one, the nearest first; no more than there may be levels. */
export const ancestorsOf = (queue: Queue, family: QueueFamily): readonly Queue[] => {
  const found: Queue[] = [];
  let name = parentOf(queue);
  while (name !== undefined && found.length <= MOST_LEVELS) {
    const above = family.get(name);
    if (above === undefined) break;
    found.push(above);
    name = parentOf(above);
  }
  return found;
};

/** How many levels of queues are below one; no more are counted than there may be. */
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
