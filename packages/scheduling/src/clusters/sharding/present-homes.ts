import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';

export const epochOf = ({ status }: Scheduler): number => Number(status?.epoch ?? 0);

/** The highest epoch that was ever given out. */
export const highestEpoch = (schedulers: readonly Scheduler[]): number =>
  schedulers.reduce((highest, scheduler) => Math.max(highest, epochOf(scheduler)), 0);

/**
 * Who has which cluster, as the schedulers record it. A change is written scheduler by scheduler, those who
 * gain first; where two have the same cluster, the newer epoch holds, so that a change that was interrupted
 * is carried on and never turned back.
 */
export const presentHomes = (schedulers: readonly Scheduler[]): ReadonlyMap<string, string> => {
  const homes = new Map<string, Scheduler>();
  for (const scheduler of schedulers.toSorted((a, b) => epochOf(a) - epochOf(b))) {
    for (const cluster of scheduler.status?.clusters?.desired ?? []) homes.set(cluster, scheduler);
  }
  return new Map(Array.from(homes, ([cluster, { metadata }]) => [cluster, metadata.name]));
};
