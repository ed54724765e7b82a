export interface QueuesOrder {
  readonly queues: number;
  readonly jobs: number;
}

export interface QueuesResult {
  /** Processor time of a job that comes, and of one that ends and lets another one go. */
  readonly arrivalUs: number;
  readonly completionUs: number;
  /** Live bytes for each job that waits. */
  readonly bytesPerJob: number;
  /** From nothing to the first decision. */
  readonly rebuildMs: number;
}
