import type { Candidate } from '../../placement/scheduler/candidate.ts';
import type { Outcome } from '../../placement/scheduler/outcome.ts';
import type { PlacementRequest } from '../../placement/scheduler/placement-request.ts';

/** The reason why one cluster ranks before another. */
export interface Choice {
  readonly chosen: string;
  readonly over: string;
  /** The criterion that decided between the two. */
  readonly decidedBy: 'overflow group' | 'score' | 'room' | 'name' | 'share';
  readonly message: string;
}

const choiceBetween = (a: Candidate, b: Candidate): Choice => {
  const base = { chosen: a.name, over: b.name };
  const start = `${a.name} and not ${b.name}`;
  if (a.tier !== b.tier) {
    const message = `${start}: ${b.name} is of a group that only takes what overflows`;
    return { ...base, decidedBy: 'overflow group', message };
  }
  if (a.score !== b.score) {
    const message = `${start}: its score is ${a.score}, the other's ${b.score}`;
    return { ...base, decidedBy: 'score', message };
  }
  const scores = `their scores are the same (${a.score})`;
  if (a.available !== b.available) {
    const message = `${start}: ${scores}, and it has room for ${a.available}, the other for ${b.available}`;
    return { ...base, decidedBy: 'room', message };
  }
  const message = `${start}: ${scores}, so is their room, and it comes first by name`;
  return { ...base, decidedBy: 'name', message };
};

/** Compares the last chosen cluster with the first candidate that was not; undefined if all were chosen. */
export const choiceOf = (outcome: Outcome, { strategy }: PlacementRequest): Choice | undefined => {
  if (outcome.kind !== 'placed') return undefined;
  const { candidates, selected } = outcome.reasoning;
  const targetNames = new Set(outcome.clusters.map(({ name }) => name));
  const last = candidates.findLast(({ name }) => targetNames.has(name));
  const next = candidates.find(({ name }) => !targetNames.has(name));
  if (last === undefined || next === undefined) return undefined;
  if (!selected.includes(next.name)) return choiceBetween(last, next);
  // It was selected, and the division gave it no replicas.
  const how =
    strategy === 'aggregated'
      ? 'the replicas fit into fewer clusters'
      : 'by its weight, no replica falls to it';
  const message = `${last.name} and not ${next.name}: ${how}`;
  return { chosen: last.name, over: next.name, decidedBy: 'share', message };
};
