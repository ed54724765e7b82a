import type { Refusal } from '@perigee/scheduling/flows/validate-operation';
import type { RefusalReason } from '@perigee/scheduling/placement/work/works-written';

/** Something cannot be brought to a member cluster. The message has the object, the cluster and the reason. */
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

/** A service of a cloud answered, and the answer is no. */
export class CloudRefusal extends Error {
  override readonly name = 'CloudRefusal';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The rules for the owners of PodGroups cannot be used. The message names lines and faults. */
export class InvalidRulesError extends Error {
  override readonly name = 'InvalidRulesError';
}

/** A server stores bindings without the data that their claims ask for. */
export class UncarriedDataError extends Error {
  override readonly name = 'UncarriedDataError';

  constructor() {
    super(
      'the placement does not get the data of its claims: the API server does not ask the admission of Perigee about bindings, so run `perigee webhook`',
    );
  }
}

/** There can be no Job for an operation as it is; no retry changes that. */
export class RefusedRunError extends Error {
  override readonly name = 'RefusedRunError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}
