/** What a run of the scheduler is about. */
export interface SchedulerCase {
  readonly clusters: number;
  readonly bindings: number;
  /** Whether clusters count their nodes by grade. */
  readonly hasModels: boolean;
}

export type SchedulerOrder =
  /** Decides only; nothing is written. */
  | ({ readonly task: 'decide' } & SchedulerCase)
  /** Schedules through the API, durably. */
  | ({ readonly task: 'schedule' } & SchedulerCase)
  /** The same by a karmada-scheduler that is started with these flags. */
  | ({
      readonly task: 'peer';
      readonly binary: string;
      readonly flags: readonly string[];
    } & SchedulerCase);
