export interface Named<T> {
  readonly values: readonly T[];
  readonly failures: readonly unknown[];
}

/** Fetches each of several names; a missing one does not stop the others. */
export const eachNamed = async <T>(
  names: readonly string[],
  fetch: (name: string) => Promise<T>,
): Promise<Named<T>> => {
  const results = await Promise.allSettled(names.map(fetch));
  return {
    values: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    failures: results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
  };
};

/** Throws a single failure; prints several, and throws one with the exit code of the first. */
export const throwFailures = async (failures: readonly unknown[]): Promise<void> => {
  const [first] = failures;
  if (first === undefined) return;
  if (failures.length === 1) throw first;
  const { describeError, exitCodeOf, PartialFailure } = await import('../errors.ts');
  const { notify } = await import('../output/notify.ts');
  for (const text of new Set(failures.map(describeError))) notify(text);
  throw new PartialFailure(exitCodeOf(first));
};
