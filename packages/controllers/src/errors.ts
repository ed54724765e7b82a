/** Something cannot be brought to a member cluster. The message says what, where to and why. */
export class PropagationError extends Error {
  override readonly name = 'PropagationError';
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
