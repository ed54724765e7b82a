import { PromisedRoom } from './promised-room.ts';
import type { WorkPart } from './work-of-binding.ts';

/**
 * Follows the room that was promised to work until the reports of its clusters count it: until a member has the work,
 * and its cluster has told anew what it has left.
 */
export class RoomInFlight {
  readonly promised = new PromisedRoom();
  /** By cluster and work, whether the member has the work. */
  readonly #flights = new Map<string, Map<string, boolean>>();
  /** Clusters that have work since they were last asked for, and are about to report it. */
  readonly landed = new Set<string>();

  /** Work is to run, or runs, in these parts, and no longer in others that it had. */
  set(key: string, parts: readonly WorkPart[], before: Iterable<string>): void {
    const now = new Set(parts.map(({ cluster }) => cluster));
    for (const cluster of before) if (!now.has(cluster)) this.#drop(cluster, key);
    for (const { cluster, pods, isThere } of parts) {
      const isPromised = this.#flights.get(cluster)?.has(key) === true;
      // What is there and was not promised is part of the reports already.
      if (isThere && !isPromised) continue;
      const flights = this.#flights.get(cluster) ?? new Map<string, boolean>();
      this.#flights.set(cluster, flights.set(key, isThere));
      this.promised.promise(cluster, key, pods);
      if (isThere) this.landed.add(cluster);
    }
  }

  /** A cluster reports anew what it has left. */
  reported(cluster: string): void {
    for (const [key, isThere] of [...(this.#flights.get(cluster) ?? [])]) {
      if (isThere) this.#drop(cluster, key);
    }
  }

  #drop(cluster: string, key: string): void {
    const flights = this.#flights.get(cluster);
    if (flights?.delete(key) !== true) return;
    this.promised.forget(cluster, key);
    if (flights.size === 0) this.#flights.delete(cluster);
  }
}
