/** Runs `act` for each item, at most `most` in parallel. Results are in the order of the items. */
export const atOnce = async <T, R>(
  items: readonly T[],
  most: number,
  act: (item: T) => Promise<R>,
): Promise<readonly PromiseSettledResult<R>[]> => {
  const results: PromiseSettledResult<R>[] = new Array(items.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      try {
        results[at] = { status: 'fulfilled', value: await act(items[at] as T) };
      } catch (reason) {
        results[at] = { status: 'rejected', reason };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return results;
};
