export type Task = 'requests' | 'watch' | 'list';

/** Order to a contender: a number of requests, watch events, or whole lists. */
export interface Order {
  readonly task: Task;
  readonly count: number;
}

export interface Outcome {
  /** Number of objects or answers. */
  readonly doneCount: number;
  readonly seconds: number;
  /** Processor time of the contender's process alone. */
  readonly cpuSeconds: number;
}

/** Address of the server, which it prints when it is up. */
export interface Address {
  readonly server: string;
  readonly ca: string;
}

export const LISTED_PODS = 2000;
