import { DeployedSchedulers } from '@perigee/controllers/clusters/scheduler-lifecycle/deployed-schedulers';
import type { SchedulerProcesses } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-processes';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import { childSchedulers } from '../clusters/scheduler/child-schedulers.ts';
import type { ServerChoice } from '../open-client.ts';

/** The place where Scheduler processes run. */
export interface SchedulerHome {
  /** The image of their Deployments; without it they are child processes. */
  readonly schedulerImage?: string;
  readonly schedulerNamespace: string;
}

export const schedulerProcesses = (
  options: ServerChoice & SchedulerHome,
  runtime: { readonly clock: Clock; readonly logger: Logger },
  stack: AsyncDisposableStack,
): SchedulerProcesses => {
  const { schedulerImage: image, schedulerNamespace: namespace } = options;
  return image === undefined
    ? stack.use(childSchedulers(options, runtime))
    : new DeployedSchedulers({ image, namespace });
};
