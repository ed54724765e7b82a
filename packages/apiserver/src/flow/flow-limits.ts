/** How much of a server its clients may take up at a time. */
export interface FlowLimits {
  /** Requests under way that read. Watches are apart. */
  readonly reading: number;
  /** Requests under way that write. */
  readonly writing: number;
  /** Requests of one user that wait for their turn; further ones are refused. */
  readonly waitingPerUser: number;
  /** Requests of everybody that wait for their turn. */
  readonly waiting: number;
  /** How long a request waits for its turn before it is refused. */
  readonly longestWaitMs: number;
  /** How long a request may take, also when its client would allow it more. Watches are apart. */
  readonly longestRequestMs: number;
  /** Watches that one user may have open. */
  readonly watchesPerUser: number;
}

/** The first two and the times are those of kube-apiserver. */
export const DEFAULT_LIMITS: FlowLimits = {
  reading: 400,
  writing: 200,
  waitingPerUser: 500,
  waiting: 5000,
  longestWaitMs: 15_000,
  longestRequestMs: 60_000,
  watchesPerUser: 5000,
};
