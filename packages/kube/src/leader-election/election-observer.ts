/** Every step of an election, for whoever counts or logs them. */
export interface ElectionObserver {
  /** Another holds the lease now; the empty string stands for nobody. */
  leaderSeen(identity: string): void;
  /** This process leads from now on. */
  elected(): void;
  /** This process leads no longer, for the reason in the error. */
  deposed(reason: Error): void;
  /** The lease could not be read, acquired, renewed or released; it is tried again while that helps. */
  attemptFailed(what: 'acquire' | 'renew' | 'release', error: unknown): void;
}
