import { startScheduler } from '@perigee/controllers/clusters/scheduler-lifecycle/start-scheduler';
import { SupervisedSchedulers } from '@perigee/controllers/clusters/scheduler-lifecycle/supervised-schedulers';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';

/** Runs Schedulers inside this process, so that nothing needs to be installed. */
export const schedulersInProcess = (runtime: {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
}): SupervisedSchedulers =>
  new SupervisedSchedulers({
    ...runtime,
    launch: async (name, signal) => {
      const scheduler = await startScheduler({ ...runtime, name, signal });
      await scheduler.stopped;
    },
  });
