import { type Amount, type Amounts, addTo } from './amounts.ts';
import type { WorkPart } from './work-of-binding.ts';

const NOTHING: Amounts = new Map();

interface Flight {
  readonly amounts: Amounts;
  /** Whether its member has it: the next report of the cluster counts it. */
  readonly isThere: boolean;
}

/**
 * What was promised to work in clusters and is not part of what they report yet. Without it, work that is released in
 * one moment would be promised the same room.
 */
export class RoomInFlight {
  readonly #flights = new Map<string, Map<string, Flight>>();
  readonly #sums = new Map<string, Map<string, Amount>>();

  /** What clusters were promised beyond their reports. */
  in(cluster: string): Amounts {
    return this.#sums.get(cluster) ?? NOTHING;
  }

  /** Work is to run, or runs, in these parts. */
  set(key: string, parts: readonly WorkPart[], before: Iterable<string>): void {
    const now = new Set(parts.map(({ cluster }) => cluster));
    for (const cluster of before) if (!now.has(cluster)) this.#drop(cluster, key);
    for (const { cluster, amounts, isThere } of parts) {
      // What is there and was not in flight is part of the reports already.
      if (isThere && !this.#flights.get(cluster)?.has(key)) continue;
      this.#drop(cluster, key);
      this.#put(cluster, key, { amounts, isThere });
    }
  }

  /** A cluster reports anew what it has left. */
  reported(cluster: string): void {
    for (const [key, { isThere }] of [...(this.#flights.get(cluster) ?? [])]) {
      if (isThere) this.#drop(cluster, key);
    }
  }

  #put(cluster: string, key: string, flight: Flight): void {
    const flights = this.#flights.get(cluster) ?? new Map<string, Flight>();
    const sum = this.#sums.get(cluster) ?? new Map<string, Amount>();
    this.#flights.set(cluster, flights.set(key, flight));
    this.#sums.set(cluster, sum);
    for (const [resource, amount] of flight.amounts) addTo(sum, resource, amount);
  }

  #drop(cluster: string, key: string): void {
    const flights = this.#flights.get(cluster);
    const flight = flights?.get(key);
    if (flights === undefined || flight === undefined) return;
    const sum = this.#sums.get(cluster) ?? new Map<string, Amount>();
    for (const [resource, amount] of flight.amounts) addTo(sum, resource, -amount);
    flights.delete(key);
    if (flights.size > 0) return;
    this.#flights.delete(cluster);
    this.#sums.delete(cluster);
  }
}
