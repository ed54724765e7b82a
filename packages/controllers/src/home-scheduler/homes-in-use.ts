import type { Scheduler } from '@perigee/api/kinds/globalscheduler/scheduler';
import { presentHomes } from '@perigee/scheduling/sharding/present-homes';

/** Reads who has which cluster: once for each state of the schedulers, however many bindings ask. */
export class HomesInUse {
  #key = '';
  #homes: ReadonlyMap<string, string> = new Map();

  of(schedulers: readonly Scheduler[]): (cluster: string) => string | undefined {
    const key = schedulers
      .map(({ metadata, status }) => `${metadata.uid} ${status?.epoch ?? 0}`)
      .join();
    if (key !== this.#key) {
      this.#homes = presentHomes(schedulers);
      this.#key = key;
    }
    return (cluster) => this.#homes.get(cluster);
  }
}
