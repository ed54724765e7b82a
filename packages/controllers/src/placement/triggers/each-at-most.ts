/** Calls a function for each item, with limited concurrency. */
export const eachAtMost = async <T>(
  limit: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const iterator = Iterator.from(items);
  const takeTurns = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next())
      await work(next.value);
  };
  await Promise.all(Array.from({ length: limit }, takeTurns));
};
