/** An override that cannot be applied to its object. The message says which, and why. */
export class OverrideError extends Error {
  override readonly name = 'OverrideError';
}

/** Work cannot leave a cluster although it should. The message says why, and how to fix it. */
export class EvictionError extends Error {
  override readonly name = 'EvictionError';
}

/** A field of a configuration cannot be used. The message says what it must be. */
export class ConfigFieldError extends Error {
  override readonly name = 'ConfigFieldError';
}

/** A plan is about something that is not there. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}
