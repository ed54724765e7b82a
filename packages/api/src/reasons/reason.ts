/** A word that Perigee writes for programs: into a condition, a verdict or an event. */
export interface Reason {
  /** The kind that carries it, and the condition or the place in it. */
  readonly of: string;
  readonly means: string;
  /** What whoever reads it may do; absent where nothing is amiss. */
  readonly todo?: string;
}

/** A closed list: what is not in it is not written. */
export type Reasons = { readonly [reason: string]: Reason };
