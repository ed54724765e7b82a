/** Something that keeps a flow from being submitted. */
export interface Problem {
  /** The step that it is about; absent when it is about the flow. */
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

/** The flow cannot be submitted as it is; nothing was. */
export class FlowProblemsError extends Error {
  readonly problems: readonly Problem[];

  constructor(flow: string, problems: readonly Problem[]) {
    super(`the flow ${flow} cannot run:\n${problems.map((one) => `  ${textOf(one)}`).join('\n')}`);
    this.name = 'FlowProblemsError';
    this.problems = problems;
  }
}

/** Something was waited for, and it failed. */
export class FailedError extends Error {
  /** What was waited for, as it was last. */
  readonly last: unknown;

  constructor(message: string, last: unknown) {
    super(message);
    this.name = 'FailedError';
    this.last = last;
  }
}

/** A function cannot run elsewhere, because of something that it uses. */
export class PackError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PackError';
  }
}

/** What a program wrote makes no sense, whatever the server says. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
