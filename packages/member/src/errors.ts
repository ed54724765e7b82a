/** A pod cannot be started with its present configuration. */
export class PodConfigError extends Error {
  /** True when retrying is futile and only another pod can help. */
  readonly isLasting: boolean;

  constructor(message: string, { isLasting = false }: { readonly isLasting?: boolean } = {}) {
    super(message);
    this.name = 'PodConfigError';
    this.isLasting = isLasting;
  }
}
