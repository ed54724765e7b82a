import { startScheduler } from '@perigee/controllers/clusters/scheduler-lifecycle/start-scheduler';
import { SupervisedSchedulers } from '@perigee/controllers/clusters/scheduler-lifecycle/supervised-schedulers';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';

/** Schedulers as parts of this process: nothing has to be installed to run them. */
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
