/** Exit codes that scripts can rely on. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** The sentence that a person sees, with the causes that add something. */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause instanceof Error && !error.message.includes(error.cause.message)
      ? error.cause
      : undefined;
  return cause === undefined ? error.message : `${error.message} (${describeError(cause)})`;
};
