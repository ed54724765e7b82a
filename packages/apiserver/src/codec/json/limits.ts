/**
 * No sensible object nests so deep, and code that walks values may recurse up to here without harm.
 * kube-apiserver says the same of what nests deeper than 10,000 levels.
 */
export const DEEPEST = 1_000;

/** As many duplicate fields as one reply tells. */
export const MOST_DUPLICATES = 100;
