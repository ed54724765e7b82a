import type { RevisionProblem } from './store/store.ts';

/** A read or watch at a revision that the store cannot serve. */
export class RevisionError extends Error {
  readonly problem: RevisionProblem;

  constructor(problem: RevisionProblem, asked: number, known: number) {
    super(
      problem === 'compacted'
        ? `revision ${asked} is no longer kept; the oldest is ${known}`
        : `revision ${asked} is not reached yet; the newest is ${known}`,
    );
    this.name = 'RevisionError';
    this.problem = problem;
  }
}
