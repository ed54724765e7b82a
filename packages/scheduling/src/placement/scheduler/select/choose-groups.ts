import type { Candidate } from '../candidate.ts';
import type { Limits } from './select-clusters.ts';

/** Clusters that share a region or a label. */
export interface Group {
  readonly name: string;
  /** In the order of candidates. */
  readonly members: readonly Candidate[];
  readonly weight: number;
}

const byName = (a: Group, b: Group): number => (a.name < b.name ? -1 : 1);
const sizeOf = ({ members }: Group): number => members.length;
const byWeight = (a: Group, b: Group): number => b.weight - a.weight || byName(a, b);
const bySize = (a: Group, b: Group): number => sizeOf(a) - sizeOf(b) || byWeight(a, b);

/** The sums of values from each position on. */
const restSums = (values: readonly number[]): readonly number[] => {
  const sums = [...values, 0];
  for (let at = values.length - 1; at >= 0; at -= 1) {
    sums[at] = (values[at] as number) + (sums[at + 1] as number);
  }
  return sums;
};

/** The sums of the first values, by their number. */
const firstSums = (values: readonly number[]): readonly number[] => {
  const sums = [0];
  for (const value of values) sums.push((sums.at(-1) as number) + value);
  return sums;
};

/** Limit of sums that are kept: with thousands of groups, those of all counts would fill the memory. */
const MOST_SUMS = 1_000_000;

/**
 * A bound of the sum of `count` values from a position on, for counts of up to `most`: the maximum, unless there are
 * too many.
 */
const boundOf = (values: readonly number[], most: number) => {
  const rest = restSums(values);
  // Whoever may take all that are left takes all.
  if (most >= values.length) return (from: number): number => rest[from] as number;
  if (values.length * most > MOST_SUMS) {
    const best = firstSums(values.toSorted((a, b) => b - a));
    return (from: number, count: number): number =>
      Math.min(rest[from] as number, best[count] as number);
  }
  const sums: (readonly number[])[] = [[0]];
  let largest: readonly number[] = [];
  for (const value of values.toReversed()) {
    const at = largest.findIndex((other) => other < value);
    largest = largest.toSpliced(at < 0 ? largest.length : at, 0, value).slice(0, most);
    sums.push(firstSums(largest));
  }
  return (from: number, count: number): number => sums[values.length - from]?.[count] as number;
};

interface Path {
  readonly groups: readonly Group[];
  readonly weight: number;
  readonly size: number;
}

/** Limit of steps, a few milliseconds; real control planes have far fewer regions. */
const STEPS = 100_000;

/**
 * The choice with the most weight, then with the most clusters, then the first in a walk from the smallest group to the
 * largest. A choice is complete as soon as it has enough clusters. Branches that cannot beat the best are cut, and the
 * number of steps is limited: a few dozen regions would take exponential time.
 */
const bestPath = (
  groups: readonly Group[],
  { min, max }: Limits,
  clusters: number,
): Path | undefined => {
  const weightBound = boundOf(
    groups.map(({ weight }) => weight),
    max,
  );
  // In order of their size, the last are the largest.
  const sizesFrom = restSums(groups.map(sizeOf));
  const picks: Group[] = [];
  let best: Path | undefined;
  let steps = 0;
  const wins = (weight: number, size: number): boolean =>
    best === undefined || weight > best.weight || (weight === best.weight && size > best.size);
  const canWin = (from: number, weight: number, size: number): boolean => {
    const more = Math.min(max - picks.length, groups.length - from);
    const mostSize = size + (sizesFrom[groups.length - more] as number);
    const isEnough = picks.length + more >= min && mostSize >= clusters;
    return isEnough && wins(weight + weightBound(from, more), mostSize);
  };
  const walk = (from: number, weight: number, size: number): void => {
    if (size >= clusters && picks.length >= min) {
      if (wins(weight, size)) best = { groups: [...picks], weight, size };
      return;
    }
    if (picks.length >= max) return;
    for (let at = from; at < groups.length && canWin(at, weight, size); at += 1) {
      steps += 1;
      if (steps > STEPS && best !== undefined) return;
      const group = groups[at] as Group;
      picks.push(group);
      walk(at + 1, weight + group.weight, size + sizeOf(group));
      picks.pop();
    }
  };
  walk(0, 0, 0);
  return best;
};

/** True if the walk would stop at exactly these groups: no prefix, in its order, suffices. */
const isComplete = (groups: readonly Group[], { min }: Limits, clusters: number): boolean => {
  const groupOrder = groups.toSorted(bySize);
  const size = groupOrder.reduce((sum, group) => sum + sizeOf(group), 0);
  const before = size - sizeOf(groupOrder.at(-1) as Group);
  return groups.length >= min && size >= clusters && !(groups.length > min && before >= clusters);
};

/** The fewest sufficient groups, the heaviest first. */
export const chooseGroups = (
  groups: readonly Group[],
  limits: Limits,
  clusters: number,
): readonly Group[] | undefined => {
  const best = bestPath(groups.toSorted(bySize), limits, clusters);
  if (best === undefined) return undefined;
  const bestGroups = best.groups.toSorted(byWeight);
  for (let count = Math.max(1, limits.min); count < bestGroups.length; count += 1) {
    const fewer = bestGroups.slice(0, count);
    if (isComplete(fewer, limits, clusters)) return fewer;
  }
  return bestGroups;
};
