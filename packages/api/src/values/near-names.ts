/** Number of letters to add, remove, replace or swap in order to make one word of the other. */
const distance = (a: string, b: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replacement = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (beforeLast[j - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      row.push(Math.min(replacement, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
};

const MOST_NAMES = 3;

/** The names most like a word, nearest first; at most a third of the letters may differ, and none of two. */
export const nearNames = (name: string, names: Iterable<string>): readonly string[] => {
  const word = name.toLowerCase();
  const limit = Math.floor(word.length / 3);
  return [...new Set(names)]
    .map((name) => ({ name, off: distance(word, name.toLowerCase()) }))
    .filter(({ off }) => off <= limit)
    .sort((a, b) => a.off - b.off || a.name.localeCompare(b.name))
    .slice(0, MOST_NAMES)
    .map(({ name }) => name);
};
