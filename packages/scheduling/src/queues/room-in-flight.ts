import { PromisedRoom } from './promised-room.ts';
import type { WorkPart } from './work-of-binding.ts';

/**
 * What was promised to work in clusters and is not part of what they report yet. Without it, work that is released in
 * one moment would be promised the same room.
 */
export class RoomInFlight {
  readonly room = new PromisedRoom();
  /** By cluster: the work in flight, and whether its member has it, so that the next report counts it. */
  readonly #flights = new Map<string, Map<string, boolean>>();

  /** Work is to run, or runs, in these parts. */
  set(key: string, parts: readonly WorkPart[], before: Iterable<string>): void {
    const now = new Set(parts.map(({ cluster }) => cluster));
    for (const cluster of before) if (!now.has(cluster)) this.#drop(cluster, key);
    for (const { cluster, pods, isThere } of parts) {
      const flights = this.#flights.get(cluster) ?? new Map<string, boolean>();
      // What is there and was not in flight is part of the reports already.
      if (isThere && !flights.has(key)) continue;
      this.#flights.set(cluster, flights.set(key, isThere));
      this.room.promise(cluster, key, pods);
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
    if (flights === undefined || !flights.delete(key)) return;
    this.room.forget(cluster, key);
    if (flights.size === 0) this.#flights.delete(cluster);
  }
}
