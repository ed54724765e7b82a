/** Load of a run of the scheduler. */
export interface SchedulerCase {
  readonly clusters: number;
  readonly bindings: number;
  /** True if clusters count their nodes by grade. */
  readonly hasModels: boolean;
  /** Form in which policies select ten of the clusters; absent: they select all. */
  readonly means?: 'ten by name' | 'ten by label';
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
