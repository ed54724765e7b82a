import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';

export const epochOf = ({ status }: Scheduler): number => Number(status?.epoch ?? 0);

/** The highest epoch issued so far. */
export const highestEpoch = (schedulers: readonly Scheduler[]): number =>
  schedulers.reduce((highest, scheduler) => Math.max(highest, epochOf(scheduler)), 0);

/**
 * The current homes, as the schedulers' statuses record them. An assignment is written scheduler by
 * scheduler, gaining ones first; where two list the same cluster, the newer epoch wins, so that an
 * interrupted change is completed and never reverted.
 */
export const presentHomes = (schedulers: readonly Scheduler[]): ReadonlyMap<string, string> => {
  const homes = new Map<string, Scheduler>();
  for (const scheduler of schedulers.toSorted((a, b) => epochOf(a) - epochOf(b))) {
    for (const cluster of scheduler.status?.clusters?.desired ?? []) homes.set(cluster, scheduler);
  }
  return new Map(Array.from(homes, ([cluster, { metadata }]) => [cluster, metadata.name]));
};
