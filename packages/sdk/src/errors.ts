/** A reason why a flow cannot be submitted. */
export interface Problem {
  /** The step at fault; absent when the fault is in the flow. */
  readonly step?: string;
  readonly reason:
    | 'BadReference'
    | 'Cycle'
    | 'DatasetNotFound'
    | 'Exists'
    | 'Forbidden'
    | 'Invalid'
    | 'NoRoom'
    | 'NotServed';
  readonly message: string;
}

const textOf = ({ step, message }: Problem): string =>
  step === undefined ? message : `${step}: ${message}`;

/** The flow is invalid; nothing was submitted. */
export class FlowProblemsError extends Error {
  readonly problems: readonly Problem[];

  constructor(flow: string, problems: readonly Problem[]) {
    super(`the flow ${flow} cannot run:\n${problems.map((one) => `  ${textOf(one)}`).join('\n')}`);
    this.name = 'FlowProblemsError';
    this.problems = problems;
  }
}

/** A wait that ended because the object failed. */
export class FailedError extends Error {
  /** The last version of the object. */
  readonly last: unknown;

  constructor(message: string, last: unknown) {
    super(message);
    this.name = 'FailedError';
    this.last = last;
  }
}

/** A function cannot be packed, because of a value that it uses. */
export class PackError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PackError';
  }
}

/** The arguments are invalid; the server was not asked. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
