import { allKinds } from '@perigee/api/kinds/all-kinds';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { Troubles } from '@perigee/kube/controller/troubles';
import { ConfigError } from '@perigee/kube/errors';
import { createLogger, type Logger } from '@perigee/kube/observe/logger';
import { Metrics } from '@perigee/kube/observe/metrics';
import { present } from '@perigee/schema/present';
import { takeBackup } from '../backup/take-backup.ts';
import { forgetByAge } from '../history/forget-by-age.ts';
import { RevisionTimes } from '../history/revision-times.ts';
import { type ApiServerOptions, openApiServer } from '../http/api-server.ts';
import type { Extension } from '../http/extension.ts';
import { noListener } from '../http/no-listener.ts';
import {
  type ClusterSettings,
  clusterWorld,
  startCluster,
} from '../logical-clusters/logical-cluster.ts';
import {
  type ClusterOptions,
  type LogicalCluster,
  LogicalClusters,
} from '../logical-clusters/logical-clusters.ts';
import { serveCluster } from '../logical-clusters/serve-cluster.ts';
import { openServerAccess, type ServerAccessOptions } from '../logical-clusters/server-access.ts';
import {
  type ClusterEvent,
  type WatchClustersOptions,
  watchClusters,
} from '../logical-clusters/watch-clusters.ts';
import { perigeeAdmission, perigeeRights } from '../perigee/perigee-admission.ts';
import { PERIGEE_ROLES } from '../perigee/perigee-roles.ts';
import { writeAdminKubeconfig } from '../pki/admin-kubeconfig.ts';
import { ROOT_CLUSTER } from '../pki/cluster-units.ts';
import type { Pki } from '../pki/pki.ts';
import { renewCertificates } from '../pki/renew-certificates.ts';
import type { Registry } from '../registry/registry.ts';
import { openStore, type ServerStoreOptions } from './open-store.ts';
import { serverResources } from './server-resources.ts';

export interface EmbeddedServerOptions
  extends ApiServerOptions,
    ServerAccessOptions,
    ServerStoreOptions,
    Omit<ClusterSettings, 'access' | 'authority' | 'logger'> {
  readonly logger?: Logger;
  /** Longest retention of the history; limited by its size alone by default. */
  readonly historyAgeMs?: number;
  /** With `none`, only who is in this process reaches it, and no port is part of what it keeps. */
  readonly listener?: 'http' | 'none';
  /**
   * Path of the administrator's kubeconfig, with a context for each cluster. The file is replaced at the start, and
   * when clusters are added or removed.
   */
  readonly adminKubeconfig?: string;
  /** True if work without a queue is in the default one; it is in none by default. */
  readonly queueAll?: boolean;
  /** Further paths beside the API of the control plane. */
  readonly extensions?: readonly Extension[];
}

/** A whole API server in this process, until it is disposed. */
export interface EmbeddedServer extends AsyncDisposable {
  readonly url: string;
  /** Calls the control plane directly, without a connection. */
  readonly client: Client;
  /** The API of the control plane. */
  readonly registry: Registry;
  /** The keys and certificates of a server with the access `rbac`. */
  readonly pki?: Pki;
  /** Metrics served at `/metrics`, to which others may add their own. */
  readonly metrics: Metrics;
  /** Failures served at `/controllers`. */
  readonly troubles: Troubles;
  /** The names of the member clusters that there are, whether or not they are in service. */
  readonly clusters: readonly string[];
  /** Why members that there are could not be started, by their names; `openCluster` tries again. */
  readonly clusterProblems: ReadonlyMap<string, Error>;
  /** A member that is in service. */
  cluster(name: string): LogicalCluster | undefined;
  /** The member of that name, which is made, or put into service, if need be. It outlives the process. */
  openCluster(name: string, options?: ClusterOptions): Promise<LogicalCluster>;
  /** Removes a member with all that is in it. It does not matter whether there is one. */
  removeCluster(name: string): Promise<void>;
  /**
   * All objects of a kind in all clusters, the control plane and those to come included, and then every
   * change.
   */
  watchAll<K extends ResourceKind>(
    kind: K,
    options?: WatchClustersOptions,
  ): AsyncIterable<ClusterEvent<K>>;
}

const FIELD_MANAGER = 'perigee';
const VERSION = 'v1.36.0+perigee';

/**
 * Keeps the kubeconfig of the administrator up to date; to be called with the names of all members. None
 * where no such file is wanted.
 */
const kubeconfigWriter = (
  path: string | undefined,
  url: string,
  pki: Pki | undefined,
): ((members: readonly string[]) => void) | undefined => {
  if (path === undefined) return undefined;
  if (pki === undefined) {
    throw new ConfigError("a server has an administrator only with the access 'rbac'");
  }
  return (members) => writeAdminKubeconfig(path, { url, pki, members });
};

/**
 * Starts an API server with the built-in kinds, the kinds of the language, and what was installed in it
 * before. It serves all of that when the promise resolves.
 */
export const startEmbeddedServer = async (
  options: EmbeddedServerOptions,
): Promise<EmbeddedServer> => {
  const { clock, logger = createLogger({ clock, level: 'warn' }) } = options;
  await using stack = new AsyncDisposableStack();
  const { metrics = new Metrics() } = options;
  const troubles = new Troubles(clock);
  await using early = new AsyncDisposableStack();
  // The store locks the folder in which the keys are.
  const { store, checks } = openStore(options, metrics, logger, stack);
  const access = openServerAccess({ ...options, logger });
  const tls = access === undefined ? {} : { tls: access.tls };
  const server = early.use(
    options.listener === 'none'
      ? noListener()
      : await openApiServer({ ...options, ...tls, metrics }),
  );
  const times = stack.use(new RevisionTimes(store, clock));
  const { historyAgeMs: ageMs } = options;
  if (ageMs !== undefined) stack.use(forgetByAge({ store, times, clock, logger, ageMs }));
  const authority = access?.pki.authority ?? options.tls?.ca;
  const { access: _, ...settings } = options;
  const world = clusterWorld(
    {
      ...settings,
      store,
      logger,
      metrics,
      troubles,
      kinds: allKinds,
      admitKinds: perigeeAdmission(options.queueAll),
      kindRoles: PERIGEE_ROLES,
      fieldManager: FIELD_MANAGER,
      version: VERSION,
      listens: server.listens,
      authority,
      access,
    },
    serverResources(),
  );
  const { url, address } = server;
  const { authorize } = options;
  const serving = {
    url,
    address,
    version: VERSION,
    logger,
    times,
    checks,
    requiredRights: perigeeRights,
    ...present({ authorize }),
  };
  const root = stack.use(await startCluster(world, ROOT_CLUSTER, world.kinds));
  const writeKubeconfig = kubeconfigWriter(options.adminKubeconfig, url, access?.pki);
  const members = stack.use(new LogicalClusters(world, serving, writeKubeconfig));
  await members.restore();
  if (access !== undefined) {
    const renewed = (): void => {
      server.renewTls(access.tls);
      writeKubeconfig?.(members.names);
    };
    stack.use(renewCertificates({ pki: access.pki, clock, logger, renewed }));
  }
  // The listener opened first, to report that the server is not ready, and has to stop first, too.
  stack.use(server);
  early.move();
  server.serve({
    ...serveCluster(serving, root, 'path'),
    troubles,
    clusters: (name, by) => members.api(name, by),
    memberKind: MemberCluster,
    backup: () => takeBackup({ store, clock, ...present({ pki: access?.pki }) }),
    ...present({ extensions: options.extensions }),
  });
  const disposables = stack.move();
  const { client, registry } = root;
  const registryOf = (name: string) =>
    name === ROOT_CLUSTER ? registry : members.get(name)?.registry;
  return {
    url,
    client,
    registry,
    metrics,
    troubles,
    ...present({ pki: access?.pki }),
    get clusters() {
      return members.names;
    },
    get clusterProblems() {
      return members.problems;
    },
    cluster: (name) => members.get(name),
    openCluster: (name, clusterOptions) => members.open(name, clusterOptions),
    removeCluster: (name) => members.remove(name),
    watchAll: (kind, watchOptions) => watchClusters({ store, registryOf }, kind, watchOptions),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
};
