/** Limits on the load that clients may cause. */
export interface FlowLimits {
  /** Requests under way that read. Watches are apart. */
  readonly reading: number;
  /** Requests under way that write. */
  readonly writing: number;
  /** Requests of one user that wait for their turn; further ones are refused. */
  readonly waitingPerUser: number;
  /** Queue length for requests of all users. */
  readonly waiting: number;
  /** Longest wait of a request in the queue, before it is refused. */
  readonly longestWaitMs: number;
  /** Time limit of a request, even if its client allows more. Watches have their own. */
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
