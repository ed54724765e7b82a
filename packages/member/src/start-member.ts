import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { Manager } from '@perigee/kube/manager/manager';
import type { ManagerOptions } from '@perigee/kube/manager/manager-options';
import type { Logger } from '@perigee/kube/observe/logger';
import { type MemberControllersOptions, memberControllers } from './member-controllers.ts';
import { ensureNodes } from './nodes/ensure-nodes.ts';
import type { NodeShape } from './nodes/node-shape.ts';

export interface MemberOptions
  extends MemberControllersOptions,
    Pick<ManagerOptions, 'metrics' | 'select' | 'identity' | 'graceMs'> {
  /** The API of the member cluster. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The nodes that it has; those that are there already stay. */
  readonly nodes?: readonly NodeShape[];
}

/**
 * Makes a cluster of an API server: gives it nodes, and runs what is put into it, until it is disposed.
 *
 *     await using member = await startMember({ client, clock, logger, nodes: [{ count: 3 }] });
 */
export const startMember = async (options: MemberOptions): Promise<AsyncDisposable> => {
  const { client, clock, nodes = [] } = options;
  await ensureNodes(client, clock, nodes);
  const manager = new Manager({ ...options, controllers: memberControllers(options) });
  await manager.start();
  return manager;
};
