/** Spreads a seed over 32-bit words (splitmix32), so that neighbouring seeds give unlike sequences. */
const words = (seed: number): (() => number) => {
  // Folds the bits above 32 in, so that a large seed such as a time counts whole.
  let state = (seed ^ Math.floor(seed / 2 ** 32)) | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
};

/** Numbers in [0, 1) that depend on the seed alone (sfc32): same seed, same sequence. */
export const seededRandom = (seed: number): (() => number) => {
  const next = words(seed);
  let a = next();
  let b = next();
  let c = next();
  let counter = 1;
  return () => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return (result >>> 0) / 2 ** 32;
  };
};

/** A version 4 UUID made from the given numbers. */
export const uuidFrom = (random: () => number): string => {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
};
