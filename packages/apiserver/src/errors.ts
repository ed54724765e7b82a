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

/** The body of a request is not the JSON or YAML that it should be. */
export class MalformedBodyError extends Error {
  /** Whether the text itself is wrong, or holds a number that cannot be kept. */
  readonly problem: 'syntax' | 'number';

  constructor(problem: 'syntax' | 'number', message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MalformedBodyError';
    this.problem = problem;
  }
}

/** Why the store cannot be opened or written. */
export type StorageProblem = 'closed' | 'locked' | 'foreign' | 'full' | 'broken';

/** The store cannot do what was asked; what it held before is unharmed. */
export class StorageError extends Error {
  readonly problem: StorageProblem;

  constructor(problem: StorageProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageError';
    this.problem = problem;
  }
}

/** A patch that cannot be applied; `code` is the HTTP status that says whose fault it is. */
export class PatchError extends Error {
  readonly code: 400 | 413 | 422;

  constructor(code: 400 | 413 | 422, message: string) {
    super(message);
    this.name = 'PatchError';
    this.code = code;
  }
}

/** A value does not fit its schema, so that its fields cannot be told apart. */
export class UntypedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UntypedError';
  }
}
