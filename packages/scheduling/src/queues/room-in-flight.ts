import { PromisedRoom } from './promised-room.ts';
import type { WorkPart } from './work-of-binding.ts';

/** Work released within this window may run in its member before the cluster's status counts it. */
const RECENT_MS = 15_000;

/** Time of release and current time, in epoch milliseconds. */
export interface FlightTimes {
  readonly startedAt: number;
  readonly now: number;
}

/**
 * Holds promised room until the cluster's status counts it: the member runs the work, and its
 * status was refreshed after that.
 */
export class RoomInFlight {
  readonly promises = new PromisedRoom();
  /** By cluster and work, the time at which the member got the work; undefined until then. */
  readonly #flights = new Map<string, Map<string, number | undefined>>();
  /**
   * Clusters that got work since the caller last cleared this set; their status is about to change.
   */
  readonly landings = new Set<string>();

  /**
   * Sets the parts of work; its parts in clusters that it left are dropped. Returns the clusters where less is
   * promised than before: no report of theirs shows it.
   */
  set(
    key: string,
    parts: readonly WorkPart[],
    before: readonly string[],
    { startedAt, now }: FlightTimes,
  ): readonly string[] {
    const clusterNames = new Set(parts.map(({ cluster }) => cluster));
    const absentClusters = before.filter((cluster) => !clusterNames.has(cluster));
    const freedClusters = absentClusters.filter((cluster) => this.#drop(cluster, key));
    // After a restart, recent work may have landed unobserved.
    const isUnseen = before.length === 0 && startedAt > now - RECENT_MS;
    for (const { cluster, pods, isThere } of parts) {
      const clusterFlights = this.#flights.get(cluster);
      // Running work without a promise is already in the status.
      if (isThere && clusterFlights?.has(key) !== true && !isUnseen) continue;
      const flights = clusterFlights ?? new Map<string, number | undefined>();
      this.#flights.set(cluster, flights.set(key, isThere ? (flights.get(key) ?? now) : undefined));
      if (this.promises.promise(cluster, key, pods)) freedClusters.push(cluster);
      if (isThere) this.landings.add(cluster);
    }
    return freedClusters;
  }

  /** Drops the promises of work in these clusters. */
  remove(key: string, clusters: readonly string[]): void {
    for (const cluster of clusters) this.#drop(cluster, key);
  }

  /** The cluster's status counts all work that landed up to `untilMs`. */
  noteReport(cluster: string, untilMs: number): void {
    for (const [key, landedAt] of [...(this.#flights.get(cluster) ?? [])]) {
      if (landedAt === undefined) continue;
      if (landedAt > untilMs) this.landings.add(cluster);
      else this.#drop(cluster, key);
    }
  }

  /** Returns true if room was promised. */
  #drop(cluster: string, key: string): boolean {
    const flights = this.#flights.get(cluster);
    if (flights?.delete(key) !== true) return false;
    this.promises.forget(cluster, key);
    if (flights.size === 0) this.#flights.delete(cluster);
    return true;
  }
}
