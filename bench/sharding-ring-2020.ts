import type { Sharding } from '@perigee/scheduling/clusters/sharding/sharding';

/** Points of each scheduler in the design of 2020. */
const POINTS = 131_072;
const OWNERS = 2 ** 14;
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1 with 32 bits: names that differ in their last character stay neighbours. */
const fnv1 = (text: string, from = BASIS): number => {
  let hash = from;
  for (let at = 0; at < text.length; at += 1) {
    hash = (Math.imul(hash, PRIME) ^ text.charCodeAt(at)) >>> 0;
  }
  return hash;
};

/** The ring of the Global Resource Scheduler of 2020, for comparison only. */
export const ringOf2020: Sharding = (clusters, schedulers) => {
  const names = schedulers.toSorted();
  const ring = new Float64Array(names.length * POINTS);
  names.forEach((name, owner) => {
    const prefix = fnv1(`${name}#`);
    for (let point = 0; point < POINTS; point += 1) {
      ring[owner * POINTS + point] = fnv1(String(point), prefix) * OWNERS + owner;
    }
  });
  ring.sort();
  return new Map(
    clusters.map(({ name }) => {
      const after = (fnv1(name) + 1) * OWNERS;
      let [low, high] = [0, ring.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((ring[middle] ?? 0) < after) low = middle + 1;
        else high = middle;
      }
      return [name, names[(ring[low % ring.length] ?? 0) % OWNERS] ?? ''];
    }),
  );
};
