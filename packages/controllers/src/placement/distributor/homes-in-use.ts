import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { presentHomes } from '@perigee/scheduling/clusters/sharding/present-homes';

const homesOf = (schedulers: readonly Scheduler[]): ReadonlyMap<string, string> => {
  const entriesInUse = schedulers.flatMap(({ metadata, status }) =>
    (status?.clusters?.inUse ?? []).map((cluster) => [cluster, metadata.name] as const),
  );
  return new Map([...presentHomes(schedulers), ...entriesInUse]);
};

/**
 * The home of each cluster: the scheduler that uses it, else the one to which it is assigned. Computed once for each
 * state of the schedulers, not for each binding.
 */
export class HomesInUse {
  #key = '';
  #homes: ReadonlyMap<string, string> = new Map();

  of(schedulers: readonly Scheduler[]): (cluster: string) => string | undefined {
    const key = schedulers
      .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
      .join();
    if (key !== this.#key) {
      this.#homes = homesOf(schedulers);
      this.#key = key;
    }
    return (cluster) => this.#homes.get(cluster);
  }
}
