import { PromisedRoom } from './promised-room.ts';
import type { WorkPart } from './work-of-binding.ts';

/** Work that was let through so recently may be in its member and not yet in what the cluster has told. */
const RECENT_MS = 15_000;

/** When work was let through, and what time it is, in milliseconds. */
export interface FlightTimes {
  readonly startedAt: number;
  readonly now: number;
}

/**
 * Follows the room that was promised to work until the reports of its clusters count it: until a member has the work,
 * and its cluster has told anew what it has left.
 */
export class RoomInFlight {
  readonly promised = new PromisedRoom();
  /** By cluster and work, since when the member has the work; nothing while it does not. */
  readonly #flights = new Map<string, Map<string, number | undefined>>();
  /** Clusters that have work since they were last asked for, and are about to report it. */
  readonly landed = new Set<string>();

  /** Work is to run, or runs, in these parts, and no longer in others that it had. */
  set(
    key: string,
    parts: readonly WorkPart[],
    before: readonly string[],
    { startedAt, now }: FlightTimes,
  ): void {
    const present = new Set(parts.map(({ cluster }) => cluster));
    const left = before.filter((cluster) => !present.has(cluster));
    this.remove(key, left);
    // Whoever begins anew has not seen it land.
    const isUnseen = before.length === 0 && startedAt > now - RECENT_MS;
    for (const { cluster, pods, isThere } of parts) {
      const known = this.#flights.get(cluster);
      // What is there and was not promised is part of the reports already.
      if (isThere && known?.has(key) !== true && !isUnseen) continue;
      const flights = known ?? new Map<string, number | undefined>();
      this.#flights.set(cluster, flights.set(key, isThere ? (flights.get(key) ?? now) : undefined));
      this.promised.promise(cluster, key, pods);
      if (isThere) this.landed.add(cluster);
    }
  }

  /** Work has no part in these clusters any more. */
  remove(key: string, clusters: readonly string[]): void {
    for (const cluster of clusters) this.#drop(cluster, key);
  }

  /** A cluster counts all that it had at a moment. */
  counted(cluster: string, untilMs: number): void {
    for (const [key, landedAt] of [...(this.#flights.get(cluster) ?? [])]) {
      if (landedAt === undefined) continue;
      if (landedAt > untilMs) this.landed.add(cluster);
      else this.#drop(cluster, key);
    }
  }

  #drop(cluster: string, key: string): void {
    const flights = this.#flights.get(cluster);
    if (flights?.delete(key) !== true) return;
    this.promised.forget(cluster, key);
    if (flights.size === 0) this.#flights.delete(cluster);
  }
}
