/** Two lanes of 32 bits. */
export interface Hash {
  readonly high: number;
  readonly low: number;
}

/** The finaliser of MurmurHash3: every input bit affects every output bit. */
const mix = (lane: number): number => {
  const once = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
};

const LANE = 2 ** 32;
const HIGH_BITS = 2 ** 21;

/** Mixes well: names that differ only in their last character end up far apart. */
export const hashOf = (text: string): Hash => {
  let high = 0x9e3779b9 ^ text.length;
  let low = 0x243f6a88 ^ text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul((low ^ unit) + (high >>> 15), 0x85ebca77);
  }
  return { high: mix(high ^ (low >>> 7)), low: mix(low ^ (high >>> 11)) };
};

/** The rendezvous weight of two hashes: an integer below 2^53. */
export const affinityOf = (a: Hash, b: Hash): number => {
  const low = mix(a.low ^ Math.imul(b.low, 0x9e3779b1) ^ b.high);
  const high = mix(a.high ^ low ^ Math.imul(b.high, 0x85ebca77));
  return (high % HIGH_BITS) * LANE + low;
};
