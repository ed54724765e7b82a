import type { RefusalReason } from '@perigee/scheduling/work/works-written';

/** Something cannot be brought to a member cluster. The message says what, where to and why. */
export class PropagationError extends Error {
  override readonly name = 'PropagationError';
}

/** Something must not be brought to a member cluster, and no retry changes that. */
export class RefusedWorkError extends Error {
  override readonly name = 'RefusedWorkError';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
