import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import { createRestApi } from '@perigee/registration/rest/rest-api';
import { clusterIdentifier } from '../clusters/registration/identify-cluster.ts';
import { childSchedulers } from '../clusters/scheduler/child-schedulers.ts';
import { EXIT } from '../exit-codes.ts';
import { orFail } from '../or-fail.ts';
import { chooseControllers } from './choose-controllers.ts';
import { ensureFailover } from './lost-clusters-policy.ts';
import { type PlannedMember, planMembers } from './member-plan.ts';
import { openProcesses } from './open-processes.ts';
import { startFleet } from './start-fleet.ts';
import { untilMembersReady } from './until-members-ready.ts';
import type { UpOptions } from './up-options.ts';

export interface PerigeeOptions extends UpOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told what is done, for whoever waits. */
  readonly onProgress?: (text: string) => void;
}

/** A control plane with its members, until it is disposed. */
export interface Perigee extends AsyncDisposable {
  readonly server: EmbeddedServer;
  readonly client: Client;
  readonly kubeconfig: string;
  readonly members: readonly PlannedMember[];
}

/** The folder of the data; one that goes with the process when nothing is to be kept. */
const openFolder = ({ data, ephemeral }: UpOptions, stack: AsyncDisposableStack): string => {
  if (!ephemeral) return resolve(data);
  const folder = mkdtempSync(join(tmpdir(), 'perigee-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Starts the control plane, its members, and all controllers. Everything works when it resolves. */
export const startPerigee = async (options: PerigeeOptions): Promise<Perigee> => {
  const { clock, logger } = options;
  // First, as a name that is misspelt must not leave half a control plane behind.
  const chosen = orFail(EXIT.usage, () => chooseControllers(options));
  await using stack = new AsyncDisposableStack();
  const folder = openFolder(options, stack);
  const kubeconfig = join(folder, 'kubeconfig');
  options.onProgress?.('starting the API server');
  const server = stack.use(
    await startEmbeddedServer({
      clock,
      logger,
      dataFolder: folder,
      port: options.port,
      access: 'rbac',
      adminKubeconfig: kubeconfig,
      audit: { to: { path: join(folder, 'audit.log') } },
      extensions: [createRestApi({ identify: clusterIdentifier(clock) })],
    }),
  );
  if (options.failover) await ensureFailover(server.client);
  const members = planMembers(options.members, options.nodes);
  const processesOf = await openProcesses(options, folder);
  const processes = stack.use(childSchedulers({ kubeconfig }, { clock, logger }));
  stack.use(await startFleet({ ...options, server, members, chosen, processesOf, processes }));
  const names = members.map(({ metadata }) => metadata.name);
  await untilMembersReady(server.client, names, clock, { isWatched: chosen.size > 0 });
  const running = stack.move();
  return {
    server,
    client: server.client,
    kubeconfig,
    members,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};
