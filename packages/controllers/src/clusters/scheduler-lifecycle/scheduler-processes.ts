import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { ChangeListener } from '../../members/change-listeners.ts';

/** The part of a reconcile's context that process runners use. */
export type ProcessContext = Pick<ReconcileContext, 'client' | 'signal'>;

/** An unexpected exit of a process. */
export interface SchedulerExit {
  readonly reason: string;
  readonly atMs: number;
  /** Number of such exits since it last ran for long. */
  readonly restarts: number;
  /** Time of the next restart; absent once it has restarted. */
  readonly nextStartMs?: number;
}

/** Runs the processes of schedulers: as children of this process, or as Deployments. */
export interface SchedulerProcesses {
  /** Starts the scheduler and keeps it running until it is stopped. Idempotent. */
  start(scheduler: Scheduler, context: ProcessContext): Promise<void>;
  /** Asks the process to stop; returns true if it has exited or never ran. Call again until then. */
  stop(name: string, context: ProcessContext): Promise<boolean>;
  /** The last unexpected exit; undefined if there was none, or if exits cannot be observed. */
  lastExit?(name: string): SchedulerExit | undefined;
  /** Notifies of exits and restarts. */
  onChange?(listener: ChangeListener): Disposable;
}
