/** A change that cannot be made to the object it is meant for. The message says which, and why. */
export class OverrideError extends Error {
  override readonly name = 'OverrideError';
}

/** Work that ought to leave a cluster cannot. The message says why, and what to do. */
export class EvictionError extends Error {
  override readonly name = 'EvictionError';
}

/** A plan is about something that is not there. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}
