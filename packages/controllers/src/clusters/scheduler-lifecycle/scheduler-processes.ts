import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { ChangeListener } from '../../members/change-listeners.ts';

/** What those who run processes may use: they act for a reconcile, and only as long as it may. */
export type ProcessContext = Pick<ReconcileContext, 'client' | 'signal'>;

/** How a process ended that nobody had asked to. */
export interface SchedulerExit {
  readonly reason: string;
  readonly atMs: number;
  /** How often it ended so since it last ran for long. */
  readonly restarts: number;
  /** When it is started again; absent once it was. */
  readonly nextStartMs?: number;
}

/** Runs the processes of schedulers: as children of this one, or as Deployments. */
export interface SchedulerProcesses {
  /** Sees to it that the scheduler runs until it is stopped. Asking again changes nothing. */
  start(scheduler: Scheduler, context: ProcessContext): Promise<void>;
  /** Tells whether it has ended, also when it never ran; else it was asked to, and may be asked again. */
  stop(name: string, context: ProcessContext): Promise<boolean>;
  /** How it last ended; nothing where it never did, or where nobody sees that. */
  lastExit?(name: string): SchedulerExit | undefined;
  /** Told when a process has ended, or was started again. */
  onChange?(listener: ChangeListener): Disposable;
}
