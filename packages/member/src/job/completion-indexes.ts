import type { Pod } from '@perigee/kubernetes/core/pod';

export const INDEX = 'batch.kubernetes.io/job-completion-index';

/** The completion index of a pod of an indexed job, if valid. */
export const indexOf = ({ metadata }: Pod, completions: number): number | undefined => {
  const annotation = metadata.annotations?.[INDEX] ?? '';
  if (!/^\d+$/.test(annotation)) return undefined;
  const index = Number(annotation);
  return index < completions ? index : undefined;
};

/** Parses `0,2-4,7`. */
export const parseIndexes = (text: string | undefined): ReadonlySet<number> => {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',').filter(Boolean)) {
    const [first = '', last = first] = part.split('-');
    for (let index = Number(first); index <= Number(last); index++) indexes.add(index);
  }
  return indexes;
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
