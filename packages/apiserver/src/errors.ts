/** The revision asked for is no longer kept, or is not reached yet. */
export type RevisionProblem = 'compacted' | 'future';

/** A read or watch at a revision that the store cannot serve. */
export class RevisionError extends Error {
  readonly problem: RevisionProblem;
  /** The oldest revision that is kept, or the newest that is reached. */
  readonly boundary: number;

  constructor(problem: RevisionProblem, requestedRevision: number, boundary: number) {
    super(
      problem === 'compacted'
        ? `revision ${requestedRevision} is no longer kept; the oldest is ${boundary}`
        : `revision ${requestedRevision} is not reached yet; the newest is ${boundary}`,
    );
    this.name = 'RevisionError';
    this.problem = problem;
    this.boundary = boundary;
  }
}

/** The body of a request is not the JSON or YAML that it should be. */
export class MalformedBodyError extends Error {
  /** True if the text itself is wrong, or holds a number that cannot be kept. */
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

/** A backup that cannot be used, or a place where it cannot be restored to. */
export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
  }
}

/** A patch that cannot be applied; `code` is the HTTP status. */
export class PatchError extends Error {
  readonly code: 400 | 413 | 422;

  constructor(code: 400 | 413 | 422, message: string) {
    super(message);
    this.name = 'PatchError';
    this.code = code;
  }
}

/** A value does not fit its schema, so its fields have no unique paths. */
export class UntypedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UntypedError';
  }
}

/** A write cannot be decided before a webhook has answered: settle that, then decide again. */
export class DeferredError extends Error {
  readonly settle: () => Promise<void>;

  constructor(settle: () => Promise<void>) {
    super('a write has to wait for a webhook before it can be decided');
    this.name = 'DeferredError';
    this.settle = settle;
  }
}

/** Why a webhook gave no answer that could be used. */
export class WebhookError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WebhookError';
  }
}

/** An admission policy or its binding cannot be used as it is. */
export class PolicyProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PolicyProblem';
  }
}
