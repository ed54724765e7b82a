/** Jobs of one size, as the generator of a Kueue performance run makes them in every queue. */
export interface JobClass {
  readonly name: string;
  /** In each queue. */
  readonly count: number;
  readonly everyMs: number;
  readonly cpu: number;
  readonly runMs: number;
  readonly priority: number;
}

export interface DispatchOrder {
  readonly cohorts: number;
  /** In each cohort. */
  readonly queues: number;
  /** Share of a queue, and the most that it may borrow beyond that. */
  readonly nominal: number;
  readonly borrowing: number;
  readonly classes: readonly JobClass[];
}

export interface ClassWaits {
  readonly name: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface DispatchResult {
  /** From the first creation until the last job has ended. */
  readonly seconds: number;
  /** From the creation of a job until its release is seen. */
  readonly waits: readonly ClassWaits[];
  /** For how long the process computed: server, dispatcher and player together. */
  readonly cpuSeconds: number;
  /** The most that a cohort used at any moment, of what it has. */
  readonly fullest: number;
}
