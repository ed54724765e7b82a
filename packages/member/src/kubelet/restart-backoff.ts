const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;

/** Delay before the n-th restart: none for the first, then doubling. */
export const backoffMs = (restart: number): number =>
  restart <= 1 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (restart - 2));
