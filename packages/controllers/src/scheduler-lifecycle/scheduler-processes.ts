import type { Scheduler } from '@perigee/api/kinds/globalscheduler/scheduler';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';

/** What those who run processes may use: they act for a reconcile, and only as long as it may. */
export type ProcessContext = Pick<ReconcileContext, 'client' | 'signal'>;

/** Runs the processes of schedulers: as children of this one, or as Deployments. */
export interface SchedulerProcesses {
  /** Sees to it that the scheduler runs until it is stopped. Asking again changes nothing. */
  start(scheduler: Scheduler, context: ProcessContext): Promise<void>;
  /** Tells whether it has ended, also when it never ran; else it was asked to, and may be asked again. */
  stop(name: string, context: ProcessContext): Promise<boolean>;
}
