import type { Pod } from '@perigee/kubernetes/core/pod';

export const INDEX = 'batch.kubernetes.io/job-completion-index';

/** The completion index of a pod of an indexed job, if valid. */
export const indexOf = ({ metadata }: Pod, completions: number): number | undefined => {
  const annotation = metadata.annotations?.[INDEX] ?? '';
  if (!/^\d+$/.test(annotation)) return undefined;
  const index = Number(annotation);
  return index < completions ? index : undefined;
};

/** Consecutive indexes, both ends included. */
type Range = readonly [first: number, last: number];

const parseRanges = (text: string): readonly Range[] =>
  text
    .split(',')
    .filter(Boolean)
    .map((part) => {
      const [first = '', last = first] = part.split('-');
      return [Number(first), Number(last)];
    });

/** Far more than pods that have run. */
const MOST_INDEXES = 1_000_000;

/** Parses `0,2-4,7`. */
export const parseIndexes = (text: string | undefined): ReadonlySet<number> => {
  const indexes = new Set<number>();
  for (const [first, last] of parseRanges(text ?? '')) {
    for (let index = first; index <= last && indexes.size < MOST_INDEXES; index++) {
      indexes.add(index);
    }
  }
  return indexes;
};

/** How many indexes a text such as `0-99` means, and how many of some are among them. It may mean two billion. */
export const countAmong = (text: string, indexes: ReadonlySet<number>) => {
  const ranges = parseRanges(text).toSorted(([a], [b]) => a - b);
  const all = ranges.reduce((sum, [first, last]) => sum + Math.max(0, last - first + 1), 0);
  const inOrder = [...indexes].sort((a, b) => a - b);
  let at = 0;
  let among = 0;
  for (const [first, last] of ranges) {
    while (at < inOrder.length && (inOrder[at] as number) < first) at += 1;
    for (; at < inOrder.length && (inOrder[at] as number) <= last; at += 1) among += 1;
  }
  return { all, among };
};

/** Two neighbours are listed one by one; three and more become a range. */
const rangeText = (first: number, last: number): string =>
  first === last ? `${first}` : first + 1 === last ? `${first},${last}` : `${first}-${last}`;

export const formatIndexes = (indexes: Iterable<number>): string => {
  const inOrder = [...indexes].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let from = 0; from < inOrder.length; ) {
    let to = from;
    while ((inOrder[to + 1] ?? Number.NaN) === (inOrder[to] ?? 0) + 1) to += 1;
    parts.push(rangeText(inOrder[from] ?? 0, inOrder[to] ?? 0));
    from = to + 1;
  }
  return parts.join();
};
