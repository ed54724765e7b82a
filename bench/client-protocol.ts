export type Task = 'requests' | 'watch' | 'list';

/** What a contender is told to do: so many requests, watch events, or whole lists. */
export interface Order {
  readonly task: Task;
  readonly count: number;
}

export interface Outcome {
  /** How many objects or answers came of it. */
  readonly done: number;
  readonly seconds: number;
  /** What the contender's process alone took. */
  readonly cpuSeconds: number;
}

/** Where the server is, as it tells when it is up. */
export interface Address {
  readonly server: string;
  readonly ca: string;
}

export const LISTED_PODS = 2000;
