import { launchChild } from '@perigee/controllers/clusters/scheduler-lifecycle/launch-child';
import { SupervisedSchedulers } from '@perigee/controllers/clusters/scheduler-lifecycle/supervised-schedulers';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import type { ServerChoice } from '../../open-client.ts';

const MAIN = new URL('../../main.ts', import.meta.url).pathname;

/** Runs Schedulers as child processes, each a `perigee scheduler` for the same server. */
export const childSchedulers = (
  { kubeconfig, context }: ServerChoice,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): SupervisedSchedulers => {
  const server = [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]),
    ...(context === undefined ? [] : ['--context', context]),
  ];
  const launch = launchChild(clock, (name) => [
    process.execPath,
    MAIN,
    'scheduler',
    '--name',
    name,
    '--until-input-ends',
    ...server,
  ]);
  return new SupervisedSchedulers({ launch, clock, logger });
};
