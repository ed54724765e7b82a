/** The argument of a step function at run time. */
export interface StepContext {
  /** The path under which the Dataset is mounted. */
  readonly data: string;
  readonly dataset: string;
  readonly flow: string;
  readonly step: string;
}

/** A function that runs as a step. Its return value is printed as the last line, as JSON. */
export type StepFunction = (context: StepContext) => unknown;
