/** A change that cannot be made to the object it is meant for. The message says which, and why. */
export class OverrideError extends Error {
  override readonly name = 'OverrideError';
}
