import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { startScheduler } from '@perigee/controllers/clusters/scheduler-lifecycle/start-scheduler';
import { SupervisedSchedulers } from '@perigee/controllers/clusters/scheduler-lifecycle/supervised-schedulers';
import { ensureDefaultQueues } from '@perigee/controllers/queues/default-queues';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ConfigError } from '@perigee/kube/errors';
import { createLogger, type Logger } from '@perigee/kube/observe/logger';
import { detectIsolation } from '@perigee/member/isolation/detect-isolation';
import type { NodeProgram, ProcessOptions } from '@perigee/member/process-runtime/process-options';
import { createRestApi } from '@perigee/registration/rest/rest-api';
import { parseStagingStore, type StagingStore } from '@perigee/scheduling/flows/staging-store';
import { present, unlessEmpty } from '@perigee/schema/present';
import { parseDuration } from '@perigee/schema/values/duration';
import { checkHostPaths } from './check-host-paths.ts';
import { chooseControllers } from './choose-controllers.ts';
import { clusterIdentifier } from './identify-cluster.ts';
import { ensureFailover } from './lost-clusters-policy.ts';
import { type PlannedMember, planMembers } from './members/member-plan.ts';
import { untilMembersReady } from './members/until-members-ready.ts';
import { DEFAULT_FEATURES, type Features, LIMITS, type PerigeeOptions } from './perigee-options.ts';
import { startFleet } from './start-fleet.ts';

/** Data operations run the mover by this name. */
const MOVER: NodeProgram = {
  name: 'perigee-mover',
  folder: fileURLToPath(new URL('..', import.meta.resolve('@perigee/mover/main'))),
  module: 'src/main.js',
};

/**
 * The settings with which each member runs pods as processes of this machine, if the options allow it.
 * Reports the namespaces that get this access, and how their processes are isolated from the operator.
 */
const openProcesses = async (
  { runProcesses, processNamespaces: namespaces, hostPaths }: Features,
  data: string,
  onProgress: PerigeeOptions['onProgress'],
): Promise<(member: string) => ProcessOptions | undefined> => {
  if (runProcesses === false) return () => undefined;
  const isolation = await detectIsolation();
  onProgress?.({ step: 'processes', namespaces, hostPaths, isolation });
  return (member) =>
    runProcesses === true || runProcesses.includes(member)
      ? {
          allow: true,
          folder: join(data, 'processes', member),
          hide: [data],
          isolation,
          hostPaths,
          programs: [MOVER],
          ...present({ namespaces: unlessEmpty(namespaces) }),
        }
      : undefined;
};

/** Parses the option that names the staging store for transfers between clusters. */
const stagingStoreOf = (text: string): StagingStore => {
  const store = parseStagingStore(text);
  if ('problem' in store) throw new ConfigError(`stagingStore: ${store.problem}`);
  return store;
};

/** Throws a `ConfigError` when `members` or `nodes` is out of its limits. */
const checkFeatures = (features: Features): void => {
  for (const field of ['members', 'nodes'] as const) {
    const [least, most] = LIMITS[field];
    const number = features[field];
    if (!Number.isInteger(number) || number < least || number > most) {
      throw new ConfigError(`${field} must be a whole number from ${least} to ${most}`);
    }
  }
};

/** A control plane with its members; disposing it stops them. */
export interface Perigee extends AsyncDisposable {
  readonly server: EmbeddedServer;
  readonly client: Client;
  readonly kubeconfig: string;
  readonly members: readonly PlannedMember[];
}

/** The data folder, or a temporary one that is deleted with the control plane. */
const openFolder = (data: string | undefined, stack: AsyncDisposableStack): string => {
  if (data !== undefined) return resolve(data);
  const folder = mkdtempSync(join(tmpdir(), 'perigee-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Runs Schedulers inside this process, so that nothing needs to be installed. */
const schedulersInProcess = (runtime: {
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

/**
 * Starts a control plane, its members and its controllers. All of them serve when the promise resolves.
 *
 *     await using perigee = await startPerigee({ members: 2 });
 *     const { items } = await perigee.client.list(ClusterRecord);
 */
export const startPerigee = async (options: PerigeeOptions = {}): Promise<Perigee> => {
  const { clock = realClock, data, port = 0, onProgress } = options;
  const { logger = createLogger({ clock, level: 'warn' }) } = options;
  const features = { ...DEFAULT_FEATURES, ...options };
  // Validated before anything starts: a misspelt name must not leave half a control plane behind.
  checkFeatures(features);
  checkHostPaths(features.hostPaths, data);
  const chosenControllers = chooseControllers(features);
  await using stack = new AsyncDisposableStack();
  const folder = openFolder(data, stack);
  const kubeconfig = join(folder, 'kubeconfig');
  onProgress?.({ step: 'server' });
  const server = stack.use(
    await startEmbeddedServer({
      clock,
      logger,
      dataFolder: folder,
      port,
      access: 'rbac',
      adminKubeconfig: kubeconfig,
      audit: { to: { path: join(folder, 'audit.log') } },
      queueAll: features.queueAll,
      extensions: [createRestApi({ identify: clusterIdentifier(clock) })],
    }),
  );
  const { client } = server;
  if (features.failover) await ensureFailover(client);
  // The default queues exist before anyone can create work, so that queueing applies to the very first
  // workload.
  if (chosenControllers.has('dispatcher')) await ensureDefaultQueues(client);
  const members = planMembers(features.members, features.nodes);
  const processesOf = await openProcesses(features, folder, onProgress);
  const processes = stack.use(
    options.schedulers?.(kubeconfig) ?? schedulersInProcess({ client, clock, logger }),
  );
  const { sharding, hostPaths, moverImage, stagingStore, preemption: isPreempting } = features;
  const reserveAfterMs = parseDuration(features.reserveAfter);
  const mover = {
    hostPaths,
    ...present({
      image: moverImage || undefined,
      staging: stagingStore ? stagingStoreOf(stagingStore) : undefined,
    }),
  };
  const common = { server, members, clock, logger, ...present({ onProgress }) };
  stack.use(
    await startFleet({
      ...{ ...common, chosenControllers, sharding, isPreempting, reserveAfterMs },
      ...{ mover, processesOf, processes },
    }),
  );
  const names = members.map(({ metadata }) => metadata.name);
  await untilMembersReady(client, names, clock, { isWatched: chosenControllers.size > 0 });
  const resources = stack.move();
  return {
    server,
    client,
    kubeconfig,
    members,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
