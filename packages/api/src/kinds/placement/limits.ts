/**
 * The sizes up to which the rules of these kinds are evaluated. A Kubernetes API server refuses a
 * CRD whose rules could cost too much, and it estimates the cost from these bounds.
 */
export const MAX_CLUSTERS = 10_000;
export const MAX_AFFINITIES = 100;
export const MAX_OVERFLOWS = 50;
export const MAX_SELECTORS = 1_000;
export const MAX_CONSTRAINTS = 100;
export const MAX_OVERRIDE_RULES = 1_000;
export const MAX_OVERRIDERS = 100;
export const MAX_COMPONENTS = 100;
export const MAX_GRADES = 30;
export const MAX_RANGES = 10;
