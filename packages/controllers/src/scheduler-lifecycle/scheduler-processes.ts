/** Runs the processes of schedulers: as children of this one, as a Deployment, or in the same process. */
export interface SchedulerProcesses {
  /** Sees to it that the scheduler runs, now and until it is stopped. Asking again changes nothing. */
  start(scheduler: string): void;
  /** Resolves when it has ended; also when it never ran. */
  stop(scheduler: string): Promise<void>;
}
