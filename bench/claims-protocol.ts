export interface ClaimsOrder {
  readonly clusters: number;
  readonly sources: number;
  readonly claims: number;
}

export interface ClaimsResult {
  /** Claims in a second, from the start of the controllers until the last claim is bound. */
  readonly boundPerSecond: number;
  /** Objects written because of one source whose locality changes, beside the source's spec. */
  readonly writesOfMove: number;
  /** Objects written because one cluster joins that has none of the data. */
  readonly writesOfJoin: number;
  /** For how long the process computed because of that cluster. */
  readonly joinMs: number;
  /** Decisions in a second, with a claim whose data is everywhere, and without one; pairs of rounds. */
  readonly claimedDecisions: readonly number[];
  readonly plainDecisions: readonly number[];
}
