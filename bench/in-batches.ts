const AT_ONCE = 200;

/** Does something so many times, some of them at a time. */
export const inBatches = async (
  count: number,
  work: (at: number) => Promise<unknown>,
): Promise<void> => {
  const all = Array.from({ length: count }, (_, at) => at);
  while (all.length > 0) await Promise.all(all.splice(0, AT_ONCE).map(work));
};
