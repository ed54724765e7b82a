import { DeployedSchedulers } from '@perigee/controllers/scheduler-lifecycle/deployed-schedulers';
import type { SchedulerProcesses } from '@perigee/controllers/scheduler-lifecycle/scheduler-processes';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import type { ServerChoice } from '../open-client.ts';
import { childSchedulers } from '../scheduler/child-schedulers.ts';

/** Where the processes of Schedulers run. */
export interface SchedulerHome {
  /** The image of Deployments; without it they are children of this process. */
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
