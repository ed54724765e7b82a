/**
 * Nesting limit, up to which recursion over values is safe. kube-apiserver has the same message for a depth of
 * 10,000.
 */
export const DEEPEST = 1_000;

/** Limit of duplicate fields in one response. */
export const MOST_DUPLICATES = 100;
