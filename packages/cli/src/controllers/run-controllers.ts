import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { CONTROLLER_NAMES } from '@perigee/controllers/all-controllers';
import { DeployedSchedulers } from '@perigee/controllers/clusters/scheduler-lifecycle/deployed-schedulers';
import type { SchedulerProcesses } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-processes';
import { openControllers } from '@perigee/controllers/open-controllers';
import type { Clock } from '@perigee/kube/clock/clock';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { selectControllers } from '@perigee/kube/manager/controller-selection';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger, type Logger } from '@perigee/kube/observe/logger';
import { Metrics } from '@perigee/kube/observe/metrics';
import type { ShardingName } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import type { StagingStore } from '@perigee/scheduling/flows/staging-store';
import { present } from '@perigee/schema/present';
import { childSchedulers } from '../clusters/scheduler/child-schedulers.ts';
import { EXIT } from '../exit-codes.ts';
import { openClient, type ServerChoice } from '../open-client.ts';
import { orFail } from '../or-fail.ts';
import { untilAskedToStop } from '../until-asked-to-stop.ts';
import { checkAdmission } from './check-admission.ts';
import { checkKinds, installKinds, neededKinds } from './custom-kinds.ts';
import { parseListen } from './parse-listen.ts';

/** The place where Scheduler processes run. */
interface SchedulerHome {
  /** The image of their Deployments; without it they are child processes. */
  readonly schedulerImage?: string;
  readonly schedulerNamespace: string;
}

const schedulerProcesses = (
  options: ServerChoice & SchedulerHome,
  runtime: { readonly clock: Clock; readonly logger: Logger },
  stack: AsyncDisposableStack,
): SchedulerProcesses => {
  const { schedulerImage: image, schedulerNamespace: namespace } = options;
  return image === undefined
    ? stack.use(childSchedulers(options, runtime))
    : new DeployedSchedulers({ image, namespace });
};

export interface RunControllersOptions extends ServerChoice, SchedulerHome {
  readonly controllers: string;
  readonly sharding: ShardingName;
  readonly preemption?: boolean;
  /** In milliseconds. */
  readonly reserveAfter: number;
  readonly moverImage: string;
  readonly stagingStore?: StagingStore;
  readonly hostPath?: readonly string[];
  readonly installCrds?: boolean;
  /** The address for probes and metrics. */
  readonly listen: string;
}

const LEASE = { namespace: 'kube-system', name: 'perigee-controllers' };

/** Runs the controllers of a control plane in the foreground until the user stops them. */
export const runControllers = async (options: RunControllersOptions): Promise<void> => {
  const http = parseListen(options.listen);
  const chosenControllers = orFail(EXIT.usage, () =>
    selectControllers(options.controllers, CONTROLLER_NAMES),
  );
  const stopRequest = untilAskedToStop();
  const logger = createLogger({ clock, level: 'warn' });
  await using client = await openClient(options, logger);
  // A client of its own, so that lease renewals never queue behind other requests.
  await using leaseClient = await openClient(options, logger);
  await using stack = new AsyncDisposableStack();
  const processes = schedulerProcesses(options, { clock, logger }, stack);
  const {
    sharding,
    moverImage,
    hostPath = [],
    stagingStore,
    preemption: isPreempting = false,
  } = options;
  const { reserveAfter: reserveAfterMs } = options;
  const mover = {
    image: moverImage,
    hostPaths: hostPath,
    ...present({ staging: stagingStore }),
  };
  const metrics = new Metrics();
  const { controllers } = stack.use(
    openControllers({
      client,
      clock,
      logger,
      metrics,
      chosenControllers,
      sharding,
      isPreempting,
      reserveAfterMs,
      processes,
      mover,
    }),
  );
  const kinds = neededKinds(options.controllers, controllers);
  if (options.installCrds) await installKinds(client, clock, options.controllers, kinds);
  await checkKinds(client, kinds);
  if (kinds.includes(PropagationPolicy)) await checkAdmission(client);
  const manager = stack.use(
    new Manager({
      client,
      clock,
      logger,
      metrics,
      controllers,
      leaderElection: { lease: LEASE, client: leaseClient },
      http,
    }),
  );
  await manager.start();
  process.stderr.write(
    `perigee: the controllers are at work, or stand by for others; ${manager.url}/readyz tells how they are\n`,
  );
  await stopRequest;
};
