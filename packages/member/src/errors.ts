/** A pod cannot be started as things are. */
export class PodConfigError extends Error {
  /** Whether nothing but another pod can help. What is not there may still come. */
  readonly isLasting: boolean;

  constructor(message: string, { isLasting = false }: { readonly isLasting?: boolean } = {}) {
    super(message);
    this.name = 'PodConfigError';
    this.isLasting = isLasting;
  }
}
