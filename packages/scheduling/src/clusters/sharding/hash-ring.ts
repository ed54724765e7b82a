import { hashOf } from './mixed-hash.ts';
import type { Sharding } from './sharding.ts';

/** Points per scheduler: more points make the arcs more even. */
const POINTS = 512;
/** A point packs two values into one number: 39 bits of ring position, 14 of owner. */
const OWNERS = 2 ** 14;
const PLACES = 2 ** 39;

const placeOf = (text: string): number => {
  const { high, low } = hashOf(text);
  return (high * 2 ** 7 + (low >>> 25)) % PLACES;
};

const ringOf = (schedulers: readonly string[]): Float64Array => {
  const ring = new Float64Array(schedulers.length * POINTS);
  schedulers.forEach((name, owner) => {
    for (let point = 0; point < POINTS; point += 1) {
      ring[owner * POINTS + point] = placeOf(`${name}#${point}`) * OWNERS + owner;
    }
  });
  return ring.sort();
};

/** The first point after a position, wrapping around. */
const behind = (ring: Float64Array, place: number): number => {
  let [low, high] = [0, ring.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ring[middle] ?? 0) < place * OWNERS) low = middle + 1;
    else high = middle;
  }
  return ring[low % ring.length] ?? 0;
};

/**
 * Consistent hashing: each cluster goes to the scheduler of the next point. Building sorts 512·n
 * points; each of m clusters takes a binary search.
 */
export const hashRing: Sharding = (clusters, schedulers) => {
  if (schedulers.length > OWNERS) {
    throw new RangeError(`a ring has room for ${OWNERS} schedulers, not for ${schedulers.length}`);
  }
  const names = schedulers.toSorted();
  if (names.length === 0) return new Map();
  const ring = ringOf(names);
  return new Map(
    clusters.map(({ name, id }) => [name, names[behind(ring, placeOf(id)) % OWNERS] ?? '']),
  );
};
