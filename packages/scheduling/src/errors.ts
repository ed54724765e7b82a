/** An override that cannot be applied to its object. The message has its name, and the reason. */
export class OverrideError extends Error {
  override readonly name = 'OverrideError';
}

/** Work cannot leave a cluster although it should. The message has the reason, and the remedy. */
export class EvictionError extends Error {
  override readonly name = 'EvictionError';
}

/** A field of a configuration cannot be used. The message has the valid values. */
export class ConfigFieldError extends Error {
  override readonly name = 'ConfigFieldError';
}

/** A plan is about something that is not there. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}
