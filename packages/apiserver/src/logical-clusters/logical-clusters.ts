import type { Kind } from '@perigee/api/kind/define-kind';
import type { Client } from '@perigee/kube/client/client';
import type { ServedApi } from '../http/served-api.ts';
import { type Registry, tableOf } from '../registry/registry.ts';
import type { Store } from '../store/store.ts';
import { requireClusterName } from './cluster-name.ts';
import { ClusterRecords } from './cluster-records.ts';
import { type ClusterWorld, type RunningCluster, startCluster } from './logical-cluster.ts';
import { prefixOfCluster, type Serving, serveCluster } from './serve-cluster.ts';

export interface ClusterOptions {
  /** Kinds that the cluster is to have beside the built-in ones; they stay with it. */
  readonly kinds?: readonly Kind[];
}

/** A cluster of a server, for use inside the process. */
export interface LogicalCluster {
  readonly name: string;
  /** URL of its API, such as `https://127.0.0.1:6443/clusters/member1`. */
  readonly url: string;
  /** Calls it directly, without a connection. */
  readonly client: Client;
  readonly registry: Registry;
  /** Stops the member: its watches end, and requests find no such cluster until it is opened again. */
  close(): Promise<void>;
}

interface Member extends LogicalCluster {
  readonly runningCluster: RunningCluster;
  readonly byPath: ServedApi;
  readonly byHost: ServedApi;
}

const crdName = ({ plural, group }: Kind): string => `${plural}.${group}`;

/** Includes empty tables with a history, which the next cluster of the name must not see. */
const tablesOf = (store: Store, { name, registry }: RunningCluster): ReadonlySet<string> =>
  new Set([
    ...registry.resources.values().map((resource) => tableOf(registry, resource)),
    ...store.tables(`${name}/`),
  ]);

/** The member clusters of a server: they are added and removed at runtime, and persist across restarts. */
export class LogicalClusters implements AsyncDisposable {
  readonly #world: ClusterWorld;
  readonly #serving: Serving;
  readonly #records: ClusterRecords;
  readonly #onChange: ((names: readonly string[]) => void) | undefined;
  readonly #members = new Map<string, Member>();
  readonly #problems = new Map<string, Error>();
  /** Pending operations by name: they run one after the other. */
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(
    world: ClusterWorld,
    serving: Serving,
    onChange?: (names: readonly string[]) => void,
  ) {
    this.#world = world;
    this.#serving = serving;
    this.#records = new ClusterRecords(world.store, world.clock);
    this.#onChange = onChange;
  }

  /** Those that there are, whether or not they are in service. */
  get names(): readonly string[] {
    return this.#records.all().flatMap(({ name, isEnding }) => (isEnding ? [] : [name]));
  }

  get(name: string): LogicalCluster | undefined {
    return this.#members.get(name);
  }

  api(name: string, by: 'path' | 'host'): ServedApi | undefined {
    const member = this.#members.get(name);
    return by === 'path' ? member?.byPath : member?.byHost;
  }

  /** Why members that there are could not be started, by their names. */
  get problems(): ReadonlyMap<string, Error> {
    return this.#problems;
  }

  /**
   * Starts the persisted members, and completes removals. A member that fails is not in service, and does not
   * affect the others.
   */
  async restore(): Promise<void> {
    const records = this.#records.all();
    const restarts = records.map(({ name, isEnding }) =>
      isEnding ? this.remove(name) : this.open(name),
    );
    const outcomes = await Promise.allSettled(restarts);
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') this.#noteProblem(records[at]?.name ?? '', outcome.reason);
    }
    if (!outcomes.some(({ status }) => status === 'fulfilled')) this.#onChange?.(this.names);
  }

  /** The cluster of that name, which is made unless it is there. */
  async open(name: string, { kinds = [] }: ClusterOptions = {}): Promise<LogicalCluster> {
    requireClusterName(name);
    return this.#inTurn(name, async () => {
      const record = await this.#records.keep(name, kinds.map(crdName));
      const open = this.#members.get(name);
      if (open !== undefined) {
        await open.runningCluster.install(kinds);
        return open;
      }
      const recordedKinds = this.#world.kinds.filter((kind) =>
        record.kinds.includes(crdName(kind)),
      );
      const all = [...new Set([...recordedKinds, ...kinds])];
      const member = this.#memberOf(await startCluster(this.#world, name, all));
      this.#members.set(name, member);
      this.#problems.delete(name);
      this.#onChange?.(this.names);
      return member;
    });
  }

  /** Ends a cluster with all that is in it. It does not matter whether it is there. */
  async remove(name: string): Promise<void> {
    requireClusterName(name);
    return this.#inTurn(name, async () => {
      if (this.#records.find(name) === undefined) return;
      await this.#records.markEnding(name);
      const runningCluster = this.#members.get(name)?.runningCluster;
      await this.#stop(name);
      await this.#dropTables(name, runningCluster);
      this.#world.access?.pki.removeServiceAccountKey(name);
      await this.#records.forget(name);
      this.#problems.delete(name);
      this.#onChange?.(this.names);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#tails.values());
    await Promise.all([...this.#members.keys()].map((name) => this.#stop(name)));
  }

  #noteProblem(name: string, reason: unknown): void {
    const problem = reason instanceof Error ? reason : new Error(String(reason));
    this.#problems.set(name, problem);
    this.#world.logger.error('a member cluster could not be started', {
      cluster: name,
      error: problem,
    });
  }

  async #dropTables(name: string, running: RunningCluster | undefined): Promise<void> {
    const { store } = this.#world;
    const tables = running ? tablesOf(store, running) : store.tables(`${name}/`);
    await Promise.all([...tables].map((table) => store.drop(table)));
  }

  async #stop(name: string): Promise<void> {
    const member = this.#members.get(name);
    this.#members.delete(name);
    await member?.runningCluster[Symbol.asyncDispose]();
  }

  #memberOf(runningCluster: RunningCluster): Member {
    const { name, client, registry } = runningCluster;
    return {
      name,
      url: this.#serving.url + prefixOfCluster(name),
      client,
      registry,
      runningCluster,
      byPath: serveCluster(this.#serving, runningCluster, 'path'),
      byHost: serveCluster(this.#serving, runningCluster, 'host'),
      close: () => this.#inTurn(name, () => this.#closeIfOpen(runningCluster)),
    };
  }

  /** A cluster that was opened again is another one. */
  async #closeIfOpen(runningCluster: RunningCluster): Promise<void> {
    if (this.#members.get(runningCluster.name)?.runningCluster === runningCluster)
      await this.#stop(runningCluster.name);
  }

  async #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#tails.get(name) ?? Promise.resolve()).then(work, work);
    this.#tails.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#tails.get(name) === turn) this.#tails.delete(name);
    }
  }
}
