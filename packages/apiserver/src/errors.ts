import type { JsonObject } from '@perigee/api/json';
import type { Draft } from './admission/admission-step.ts';
import type { Entry, RevisionProblem } from './store/store.ts';

/** A read or watch at a revision that the store cannot serve. */
export class RevisionError extends Error {
  readonly problem: RevisionProblem;
  /** The oldest revision that is kept, or the newest that is reached. */
  readonly known: number;

  constructor(problem: RevisionProblem, asked: number, known: number) {
    super(
      problem === 'compacted'
        ? `revision ${asked} is no longer kept; the oldest is ${known}`
        : `revision ${asked} is not reached yet; the newest is ${known}`,
    );
    this.name = 'RevisionError';
    this.problem = problem;
    this.known = known;
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

/** A backup that cannot be used, or a place where it cannot be restored to. */
export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
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

/** What has to be converted before a reader that cannot wait may look at it. */
export type Unconverted =
  | { readonly kind: 'entries'; readonly entries: readonly Entry[] }
  | { readonly kind: 'object'; readonly object: JsonObject; readonly apiVersion: string };

/** Something is wanted in a version in which it is not known yet: convert it, then try again. */
export class UnconvertedError extends Error {
  readonly wanted: Unconverted;

  constructor(wanted: Unconverted) {
    super('an object is wanted in a version to which nobody has converted it yet');
    this.name = 'UnconvertedError';
    this.wanted = wanted;
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

/** A write cannot be decided before webhooks have seen what it would store: ask them, then decide again. */
export class UnadmittedError extends Error {
  readonly draft: Draft;

  constructor(draft: Draft) {
    super('an object has to be admitted by webhooks first');
    this.name = 'UnadmittedError';
    this.draft = draft;
  }
}
