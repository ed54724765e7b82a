import type { Client } from '@perigee/kube/client/client';
import type { ReadPodLog } from '@perigee/kube/client/pod-logs';
import type { Clock } from '@perigee/kube/clock/clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { Manager } from '@perigee/kube/manager/manager';
import type { ManagerOptions } from '@perigee/kube/manager/manager-options';
import type { Logger } from '@perigee/kube/observe/logger';
import { type MemberControllersOptions, memberControllers } from './member-controllers.ts';
import { ensureNodes } from './nodes/ensure-nodes.ts';
import type { NodeShape } from './nodes/node-shape.ts';
import type { ProcessOptions } from './process-runtime/process-options.ts';
import { ProcessRuntime } from './process-runtime/process-runtime.ts';
import { simulatedLog } from './process-runtime/simulated-log.ts';

export interface MemberOptions
  extends Omit<MemberControllersOptions, 'runtime'>,
    Pick<ManagerOptions, 'metrics' | 'troubles' | 'identity' | 'graceMs'> {
  /** The API of the member cluster. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The nodes that it has; those that are there already stay. */
  readonly nodes?: readonly NodeShape[];
  /** Further controllers that the cluster has. */
  readonly controllers?: readonly ControllerDefinition[];
  /** Lets pods run as processes of this machine; they are played unless given. */
  readonly processes?: ProcessOptions;
}

/** A member that runs, until it is disposed. */
export interface Member extends AsyncDisposable {
  /** What containers wrote. */
  readonly readPodLog: ReadPodLog;
}

/**
 * Makes a cluster of an API server: gives it nodes, and runs what is put into it, until it is disposed.
 *
 *     await using member = await startMember({ client, clock, logger, nodes: [{ count: 3 }] });
 */
export const startMember = async (options: MemberOptions): Promise<Member> => {
  const { client, clock, logger, nodes = [], processes } = options;
  await using stack = new AsyncDisposableStack();
  await ensureNodes(client, clock, nodes);
  const runtime =
    processes && stack.use(await ProcessRuntime.open({ processes, client, clock, logger }));
  const own = memberControllers({ ...options, ...(runtime && { runtime }) });
  const controllers = [...own, ...(options.controllers ?? [])];
  const manager = stack.use(new Manager({ ...options, controllers }));
  await manager.start();
  const running = stack.move();
  return {
    readPodLog: (request) => runtime?.readLog(request) ?? simulatedLog(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};
