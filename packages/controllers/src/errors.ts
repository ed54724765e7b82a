/** Something cannot be brought to a member cluster. The message says what, where to and why. */
export class PropagationError extends Error {
  override readonly name = 'PropagationError';
}
