import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import type { PodLogRequest } from '@perigee/kube/client/pod-logs';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import { POD, type Pod } from '../kinds/pod.ts';
import { containerId, parseContainerId } from './container-id.ts';
import { ContainerLog } from './container-log.ts';
import { killMarked, killNoted } from './leftovers.ts';
import { removeLog } from './log-files.ts';
import { PodDataReader } from './pod-data.ts';
import { PodFolder } from './pod-folder.ts';
import { PodRun } from './pod-run.ts';
import type { ProcessOptions } from './process-options.ts';
import { readLog } from './read-log.ts';
import { spawnLocal } from './spawn-local.ts';

interface RuntimeOptions {
  readonly processes: ProcessOptions;
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
}

const DEFAULT_LOG_BYTES = 10 * 1024 * 1024;
const DEFAULT_NICE = 5;
const DEFAULT_STOP_MS = 2000;

const keyOf = ({ namespace = '', name }: ObjectRef): string => `${namespace}/${name}`;

/** Runs the pods of a member as processes of this machine, until it is disposed. */
export class ProcessRuntime implements AsyncDisposable {
  readonly runsAll: boolean;
  readonly #options: RuntimeOptions;
  readonly #pods: string;
  readonly #runs = new Map<string, PodRun>();
  /** The pods that have files here, by their names. One name may stand for several, one after the other. */
  readonly #known = new Map<string, Set<string>>();
  readonly #logs = new Map<string, ContainerLog>();
  readonly #listeners = new Set<(ref: ObjectRef) => void>();

  private constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#pods = join(resolve(options.processes.folder), 'pods');
    this.runsAll = options.processes.all ?? false;
  }

  /** Ends what a runtime that crashed left behind, and removes the files of pods that are gone. */
  static async open(options: RuntimeOptions): Promise<ProcessRuntime> {
    const runtime = new ProcessRuntime(options);
    await mkdir(runtime.#pods, { recursive: true, mode: 0o700 });
    const uids = await readdir(runtime.#pods);
    const folders = uids.map((uid) => new PodFolder(runtime.#pods, uid));
    for (const folder of folders) await killNoted(folder);
    await killMarked(new Set(uids));
    const { items } = await listAll(options.client, POD);
    const present = new Set(items.map(({ metadata }) => metadata.uid));
    for (const [at, folder] of folders.entries()) {
      await (present.has(uids[at] ?? '') ? folder.clear() : folder.remove());
    }
    return runtime;
  }

  /** Tells of pods of which there is something new to report. */
  subscribe(listener: (ref: ObjectRef) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** The run of a pod that is here already. */
  find({ metadata }: Pod): PodRun | undefined {
    return this.#runs.get(metadata.uid);
  }

  /** Starts a pod. */
  run(pod: Pod, hostIP: string): PodRun {
    const { processes, client, clock, logger } = this.#options;
    const { uid, namespace = '', name } = pod.metadata;
    const ref = { namespace, name };
    const run = new PodRun({
      pod,
      hostIP,
      clock,
      logger,
      data: new PodDataReader(client, namespace),
      folder: new PodFolder(this.#pods, uid),
      path: processes.path ?? process.env.PATH ?? '',
      nice: processes.nice ?? DEFAULT_NICE,
      spawn: processes.spawn ?? spawnLocal,
      hostPaths: processes.hostPaths ?? [],
      openLog: (...args) => this.#openLog(...args),
      changed: () => {
        for (const listener of this.#listeners) listener(ref);
      },
    });
    this.#runs.set(uid, run);
    return run;
  }

  /** Notes that a pod is there, so that its files can go when it does. */
  keep({ metadata }: Pod): void {
    const key = keyOf(metadata);
    const uids = this.#known.get(key) ?? new Set();
    this.#known.set(key, uids.add(metadata.uid));
  }

  /** Lets go of a run that has ended and was reported. */
  release({ metadata }: Pod): void {
    this.#runs.delete(metadata.uid);
  }

  /** Kills and removes what there is of pods of that name, except the one that there is now. */
  async forgetOthers(ref: ObjectRef, present: string | undefined): Promise<void> {
    const key = keyOf(ref);
    const uids = this.#known.get(key);
    for (const uid of uids ?? []) {
      if (uid === present) continue;
      const run = this.#runs.get(uid);
      run?.stop(0);
      await run?.done;
      this.#runs.delete(uid);
      await new PodFolder(this.#pods, uid).remove();
      uids?.delete(uid);
    }
    if (uids?.size === 0) this.#known.delete(key);
  }

  /** What a container of a pod wrote; undefined when it was not run here. */
  readLog(request: PodLogRequest): AsyncIterable<Buffer> | undefined {
    const id = parseContainerId(request.containerID);
    if (id === undefined) return undefined;
    const { logs: folder } = new PodFolder(this.#pods, request.uid);
    return readLog({ folder, id, live: this.#logs.get(id) }, request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { stopMs = DEFAULT_STOP_MS } = this.#options.processes;
    for (const run of this.#runs.values()) run.stop(stopMs);
    await Promise.all([...this.#runs.values()].map(({ done }) => done));
    this.#runs.clear();
  }

  async #openLog(pod: Pod, container: string, restart: number): Promise<ContainerLog> {
    const { clock, processes } = this.#options;
    const folder = new PodFolder(this.#pods, pod.metadata.uid).logs;
    await removeLog(folder, containerId(pod, container, restart - 2));
    const id = containerId(pod, container, restart);
    const limitBytes = processes.logBytes ?? DEFAULT_LOG_BYTES;
    const log = new ContainerLog({ clock, folder, id, limitBytes });
    this.#logs.set(id, log);
    void log.ended.then(() => this.#logs.delete(id));
    return log;
  }
}
