/** Does something for each item, with a limited number of them under way at the same time. */
export const eachAtMost = async <T>(
  limit: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const left = Iterator.from(items);
  const takeTurns = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: limit }, takeTurns));
};
