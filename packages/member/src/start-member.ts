import type { Client } from '@perigee/kube/client/client';
import type { ReadPodLog } from '@perigee/kube/client/pod-logs';
import type { Clock } from '@perigee/kube/clock/clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { Manager } from '@perigee/kube/manager/manager';
import type { ManagerOptions } from '@perigee/kube/manager/manager-options';
import type { Logger } from '@perigee/kube/observe/logger';
import { present } from '@perigee/schema/present';
import { type MemberControllersOptions, memberControllers } from './member-controllers.ts';
import { ensureNodes } from './nodes/ensure-nodes.ts';
import type { NodeShape } from './nodes/node-shape.ts';
import type { ProcessOptions } from './process-runtime/process-options.ts';
import { ProcessRuntime } from './process-runtime/process-runtime.ts';

const TEXT = 'This pod is simulated: nothing runs in it, so nothing is written.\n';

/** The log of a simulated pod. */
async function* simulatedLog(): AsyncGenerator<Buffer> {
  yield Buffer.from(TEXT);
}

export interface MemberOptions
  extends Omit<MemberControllersOptions, 'runtime'>,
    Pick<ManagerOptions, 'metrics' | 'troubles' | 'identity' | 'graceMs'> {
  /** Client of the member's API server. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Nodes to create; existing ones stay. */
  readonly nodes?: readonly NodeShape[];
  /** Additional controllers of the cluster. */
  readonly controllers?: readonly ControllerDefinition[];
  /** Runs pods as processes of this machine; by default they are simulated. */
  readonly processes?: ProcessOptions;
}

/** A running member, until it is disposed. */
export interface Member extends AsyncDisposable {
  /** Reads logs of containers. */
  readonly readPodLog: ReadPodLog;
}

/**
 * Turns an API server into a cluster: creates nodes, and runs workloads, until it is disposed.
 *
 *     await using member = await startMember({ client, clock, logger, nodes: [{ count: 3 }] });
 */
export const startMember = async (options: MemberOptions): Promise<Member> => {
  const { client, clock, logger, nodes = [], processes } = options;
  await using stack = new AsyncDisposableStack();
  await ensureNodes(client, clock, nodes);
  const runtime =
    processes && stack.use(await ProcessRuntime.open({ processes, client, clock, logger }));
  const own = memberControllers({ ...options, ...present({ runtime }) });
  const controllers = [...own, ...(options.controllers ?? [])];
  const manager = stack.use(new Manager({ ...options, controllers }));
  await manager.start();
  const resources = stack.move();
  return {
    readPodLog: (request) => runtime?.readLog(request) ?? simulatedLog(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
