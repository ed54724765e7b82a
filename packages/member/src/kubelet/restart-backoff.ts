const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;

/** How long a kubelet waits before the restart of that number: the first is at once, then it doubles. */
export const backoffMs = (restart: number): number =>
  restart <= 1 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (restart - 2));
