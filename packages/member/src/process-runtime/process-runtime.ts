import { chmod, mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import type { PodLogRequest } from '@perigee/kube/client/pod-logs';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import { Pod } from '@perigee/kubernetes/core/pod';
import { detectIsolation } from '../isolation/detect-isolation.ts';
import { NO_ISOLATION } from '../isolation/isolation.ts';
import { launcherText, type Program, seenPath } from '../isolation/sandbox-layout.ts';
import { sandboxedSpawn } from '../isolation/spawn-sandboxed.ts';
import { isFinished } from '../pods/pod-state.ts';
import type { Spawn } from '../processes/spawn.ts';
import { ClaimVolumes } from './claim-volumes.ts';
import { containerId, parseContainerId } from './container-id.ts';
import { ContainerLog } from './container-log.ts';
import { killMarked, killNoted } from './leftovers.ts';
import { removeLog } from './log-files.ts';
import { PodDataReader } from './pod-data.ts';
import { PodFolder, type PodFolders } from './pod-folder.ts';
import { PodRun } from './pod-run.ts';
import { PodVolumes } from './pod-volumes.ts';
import type { NodeProgram, ProcessOptions } from './process-options.ts';
import { readLog } from './read-log.ts';
import { spawnLocal } from './spawn-local.ts';
import { openStage } from './stage-folder.ts';

/** Writes the launchers of Perigee's programs for sandboxed processes. */
const writeLaunchers = async (
  folder: string,
  programs: readonly NodeProgram[],
): Promise<readonly Program[]> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return Promise.all(
    programs.map(async ({ name, folder: files, module }) => {
      const launcher = join(folder, name);
      await writeFile(launcher, launcherText(name, module));
      await chmod(launcher, 0o755);
      return { name, launcher, folder: files };
    }),
  );
};

interface RuntimeOptions {
  readonly processes: ProcessOptions;
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
}

const DEFAULT_LOG_BYTES = 10 * 1024 * 1024;
const DEFAULT_NICE = 5;
const DEFAULT_STOP_MS = 2000;

const hasClaims = ({ spec }: Pod): boolean =>
  (spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined);

const keyOf = ({ namespace = '', name }: ObjectRef): string => `${namespace}/${name}`;

/** Runs the pods of a member as processes of this machine, until it is disposed. */
export class ProcessRuntime implements AsyncDisposable {
  /** The folders of claims. */
  readonly volumes: ClaimVolumes;
  readonly #options: RuntimeOptions;
  readonly #folders: PodFolders;
  readonly #spawn: Spawn;
  readonly #stage: AsyncDisposableStack;
  readonly #runs = new Map<string, PodRun>();
  /** Uids of pods with files here, by name. A recreated pod adds a second uid. */
  readonly #uids = new Map<string, Set<string>>();
  readonly #logs = new Map<string, ContainerLog>();
  readonly #listeners = new Set<(ref: ObjectRef) => void>();

  private constructor(
    options: RuntimeOptions,
    folders: PodFolders,
    programs: readonly Program[],
    stage: AsyncDisposableStack,
  ) {
    const { processes } = options;
    this.volumes = new ClaimVolumes(options.client, folders.volumes);
    this.#options = options;
    this.#folders = folders;
    this.#stage = stage;
    this.#spawn =
      processes.spawn ??
      (folders.isolation.kind === 'namespaces'
        ? sandboxedSpawn([processes.folder, ...(processes.hide ?? [])], programs)
        : spawnLocal);
  }

  /** Kills processes that a crashed runtime left behind, and removes the files of deleted pods. */
  static async open(options: RuntimeOptions): Promise<ProcessRuntime> {
    const { processes } = options;
    const isolation =
      processes.isolation ?? (processes.spawn ? NO_ISOLATION : await detectIsolation());
    await mkdir(processes.folder, { recursive: true, mode: 0o700 });
    const folder = await realpath(processes.folder);
    const pods = join(folder, 'pods');
    const volumes = join(folder, 'volumes');
    for (const path of [pods, volumes]) await mkdir(path, { recursive: true, mode: 0o700 });
    const uids = await readdir(pods);
    for (const uid of uids) await killNoted(join(pods, uid));
    await killMarked(new Set(uids));
    await using stack = new AsyncDisposableStack();
    const files = isolation.kind === 'user' ? stack.use(await openStage(folder)).path : pods;
    const folders = { pods, files, volumes, isolation };
    const { items } = await listAll(options.client, Pod);
    const present = new Map(items.map((pod) => [pod.metadata.uid, pod]));
    for (const uid of uids) {
      const old = new PodFolder(folders, uid);
      const pod = present.get(uid);
      await (pod === undefined ? old.remove() : old.clear());
      if (pod !== undefined && isFinished(pod)) await old.forgetEnds();
    }
    const programs = await writeLaunchers(join(folder, 'programs'), processes.programs ?? []);
    return new ProcessRuntime(options, folders, programs, stack.move());
  }

  /** Notifies of pods whose status may have changed. */
  subscribe(listener: (ref: ObjectRef) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** The run of a pod, if it was started here. */
  find({ metadata }: Pod): PodRun | undefined {
    return this.#runs.get(metadata.uid);
  }

  run(pod: Pod, hostIP: string): PodRun {
    const { processes, client, clock, logger } = this.#options;
    const { uid, namespace = '', name } = pod.metadata;
    const ref = { namespace, name };
    const claims = this.volumes;
    // Pods of a namespace share the files of its claims.
    const folder = new PodFolder(this.#folders, uid, hasClaims(pod) ? `in ${namespace}` : uid);
    const data = new PodDataReader(client, namespace);
    const hostPaths = processes.hostPaths ?? [];
    const world = { pod, hostIP, data, folder, claims, hostPaths };
    const run = new PodRun({
      ...world,
      volumes: new PodVolumes(world),
      clock,
      logger,
      path: processes.path ?? this.#usualPath(),
      nice: processes.nice ?? DEFAULT_NICE,
      spawn: this.#spawn,
      openLog: (...args) => this.#openLog(...args),
      onChange: () => {
        for (const listener of this.#listeners) listener(ref);
      },
    });
    this.#runs.set(uid, run);
    return run;
  }

  /** True if pods of the namespace may run as processes. */
  allows(namespace: string): boolean {
    return this.#options.processes.namespaces?.includes(namespace) ?? true;
  }

  /** True if all pods of the namespace run as processes, including those that do not ask for it. */
  runsAll(namespace: string): boolean {
    return (this.#options.processes.all ?? false) && this.allows(namespace);
  }

  /** Records a pod, so that its files are removed with it. */
  keep({ metadata }: Pod): void {
    const key = keyOf(metadata);
    const uids = this.#uids.get(key) ?? new Set();
    this.#uids.set(key, uids.add(metadata.uid));
  }

  /** Drops a run that has ended and was reported. */
  async release({ metadata: { uid } }: Pod): Promise<void> {
    if (this.#runs.delete(uid)) await new PodFolder(this.#folders, uid).forgetEnds();
  }

  /** Kills and removes earlier pods of that name; the present one stays. */
  async forgetOthers(ref: ObjectRef, present: string | undefined): Promise<void> {
    const key = keyOf(ref);
    const uids = this.#uids.get(key);
    for (const uid of uids ?? []) {
      if (uid === present) continue;
      const run = this.#runs.get(uid);
      run?.stop(0);
      await run?.completion;
      this.#runs.delete(uid);
      await new PodFolder(this.#folders, uid).remove();
      uids?.delete(uid);
    }
    if (uids?.size === 0) this.#uids.delete(key);
  }

  /** The log of a container; undefined when it did not run here. */
  readLog(request: PodLogRequest): AsyncIterable<Buffer> | undefined {
    const id = parseContainerId(request.containerID);
    if (id === undefined) return undefined;
    const { logs: folder } = new PodFolder(this.#folders, request.uid);
    return readLog({ folder, id, live: this.#logs.get(id) }, request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { stopMs = DEFAULT_STOP_MS } = this.#options.processes;
    for (const run of this.#runs.values()) run.stop(stopMs);
    await Promise.all([...this.#runs.values()].map(({ completion }) => completion));
    this.#runs.clear();
    await this.#stage.disposeAsync();
  }

  #usualPath(): string {
    const { PATH = '' } = process.env;
    const { kind } = this.#folders.isolation;
    return kind === 'namespaces' ? seenPath(PATH) : PATH;
  }

  async #openLog(pod: Pod, container: string, restart: number): Promise<ContainerLog> {
    const { clock, processes } = this.#options;
    const folder = new PodFolder(this.#folders, pod.metadata.uid).logs;
    await removeLog(folder, containerId(pod, container, restart - 2));
    const id = containerId(pod, container, restart);
    const limitBytes = processes.logBytes ?? DEFAULT_LOG_BYTES;
    const log = new ContainerLog({ clock, folder, id, limitBytes });
    this.#logs.set(id, log);
    void log.ended.then(() => this.#logs.delete(id));
    return log;
  }
}
