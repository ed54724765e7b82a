/** Meaning of a word that Perigee writes for programs. */
export interface Meaning {
  readonly means: string;
  /** Advice for the reader; absent if nothing is wrong. */
  readonly todo?: string;
}

/** A word that Perigee writes for programs: into a condition, a verdict or an event. */
export interface Reason extends Meaning {
  /** The kind that carries it, and the condition or the place in it. */
  readonly of: string;
}

/** A closed list: what is not in it is not written. */
export type Reasons = { readonly [reason: string]: Reason };

/** All conditions of a kind, and for each the closed list of its reasons. */
export interface ReasonsOfKind {
  /** The kind, as pages call it. */
  readonly of: string;
  readonly conditions: {
    readonly [type: string]: { readonly [reason: string]: Meaning };
  };
}
