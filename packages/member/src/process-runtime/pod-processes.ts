import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { type ProcessContainer, processSpecOf } from '../processes/process-spec.ts';
import type { ProcessExit, RunningProcess, Spawn, SpawnOrder } from '../processes/spawn.ts';
import { containerId, formatContainerId } from './container-id.ts';
import type { ContainerLog } from './container-log.ts';
import { hasExec, probeContainer } from './exec-probe.ts';
import { attend, type LaunchPlace, orderFor, startError } from './launch-container.ts';
import type { PodFolder } from './pod-folder.ts';
import { readLog } from './read-log.ts';
import type { ContainerEnd, StartedContainer } from './run-container.ts';
import {
  endOfLog,
  LOG_LINES,
  openTerminationFile,
  recordedMessage,
} from './termination-message.ts';

/**
 * The file in which the sandbox of a container notes its exit code. It is not flushed: after a power cut, what the
 * container wrote may be lost as well, and it has to run again.
 */
const endFileOf = ({ ends }: PodFolder, id: string): string => join(ends, id);

/** The recorded exit of a container; undefined if its command was not started, or was killed with its sandbox. */
const recordedEnd = async (folder: PodFolder, id: string): Promise<ProcessExit | undefined> => {
  const text = await readFile(endFileOf(folder, id), 'utf8').catch(() => '');
  const [, code] = /^started\n(\d{1,3})\n$/.exec(text) ?? [];
  return code === undefined ? undefined : { exitCode: Number(code) };
};

const forgetEnd = async (folder: PodFolder, id: string): Promise<void> => {
  for (const file of [endFileOf(folder, id), join(folder.messages, id)]) {
    await rm(file, { force: true });
  }
};

export interface ProcessesWorld extends LaunchPlace {
  readonly clock: Clock;
  readonly spawn: Spawn;
  /** Opens the log of a starting container; of earlier ones only the last is kept. */
  openLog(pod: Pod, container: string, restart: number): Promise<ContainerLog>;
}

interface Supervision {
  /** Aborted when no container may start any more. */
  readonly ending: AbortSignal;
  /** Called when the readiness of a container changes. */
  onReadiness(container: string): void;
}

const DEFAULT_GRACE_SECONDS = 30;

/** The running processes of one pod. */
export class PodProcesses {
  readonly #world: ProcessesWorld;
  readonly #supervision: Supervision;
  readonly #live = new Set<RunningProcess>();
  readonly #ready = new Map<string, boolean>();

  constructor(world: ProcessesWorld, supervision: Supervision) {
    this.#world = world;
    this.#supervision = supervision;
  }

  /** Without a supported probe, a running container is ready. */
  isReady(container: string): boolean {
    return this.#ready.get(container) ?? true;
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    for (const liveProcess of this.#live) liveProcess.signal(name);
  }

  async start(container: ProcessContainer, restart: number): Promise<StartedContainer> {
    const { pod, spawn, folder, volumes } = this.#world;
    const id = containerId(pod, container.name, restart);
    const containerID = formatContainerId(id);
    const end = await this.recordedEnd(container, restart);
    if (end !== undefined) return { containerID, exited: Promise.resolve(end) };
    await forgetEnd(folder, containerId(pod, container.name, restart - 2));
    const message = await openTerminationFile(container, id, folder, volumes);
    const order = await orderFor(container, this.#world, message);
    const log = await this.#world.openLog(pod, container.name, restart);
    const startedProcess = await spawn({ ...order, endFile: endFileOf(folder, id) }).catch(
      startError,
    );
    if (!('pid' in startedProcess)) {
      await log.end();
      return { containerID, exited: Promise.resolve(startedProcess) };
    }
    const over = new AbortController();
    const exited = this.#attend(startedProcess, log, over).then((exit) =>
      this.#withMessage(exit, container, message.read, id),
    );
    await this.#enter(startedProcess);
    this.#probe(container, order, startedProcess, over.signal);
    return { containerID, exited };
  }

  /** The end of a container that an earlier runtime has started, and not reported. */
  async recordedEnd(
    container: ProcessContainer,
    restart: number,
  ): Promise<ContainerEnd | undefined> {
    const { folder, pod } = this.#world;
    const id = containerId(pod, container.name, restart);
    const exit = await recordedEnd(folder, id);
    return exit && this.#withMessage(exit, container, () => recordedMessage(folder, id), id);
  }

  /** The end of the log serves as termination message of a failed container, if its policy allows it. */
  async #withMessage(
    exit: ProcessExit,
    { name: container, terminationMessagePolicy }: ProcessContainer,
    readMessage: () => Promise<string>,
    id: string,
  ): Promise<ContainerEnd> {
    const { folder, pod } = this.#world;
    const isReported = terminationMessagePolicy === 'FallbackToLogsOnError' && exit.exitCode !== 0;
    const place = { folder: folder.logs, id, live: undefined };
    const { name, namespace = '', uid } = pod.metadata;
    const { signal } = new AbortController();
    const request = { name, namespace, uid, container, containerID: '', signal };
    const options = { follow: false, timestamps: false, tailLines: LOG_LINES };
    const messageText = await readMessage();
    const message =
      messageText === '' && isReported
        ? await endOfLog(readLog(place, { ...request, ...options }))
        : messageText;
    return message === '' ? exit : { ...exit, message };
  }

  async #enter(running: RunningProcess): Promise<void> {
    this.#live.add(running);
    if (this.#supervision.ending.aborted) running.signal('SIGKILL');
    // The mark in the environment serves if recording fails.
    await this.#world.folder.notePid(running.pid).catch(() => {});
  }

  async #attend(running: RunningProcess, log: ContainerLog, over: AbortController) {
    const exit = await attend(running, log, this.#world.clock);
    over.abort();
    this.#live.delete(running);
    await this.#world.folder.forgetPid(running.pid);
    return exit;
  }

  #probe(
    { name, readinessProbe, livenessProbe }: ProcessContainer,
    order: SpawnOrder,
    runningProcess: RunningProcess,
    over: AbortSignal,
  ): void {
    const { clock, spawn, pod } = this.#world;
    const { terminationGracePeriodSeconds: seconds = DEFAULT_GRACE_SECONDS } = processSpecOf(pod);
    const start = ([command = '', ...args]: readonly string[]) =>
      spawn({ ...order, command, args });
    this.#ready.set(name, !hasExec(readinessProbe));
    if (hasExec(readinessProbe)) {
      const judge = (isPassing: boolean): void => {
        if (this.#ready.get(name) === isPassing) return;
        this.#ready.set(name, isPassing);
        this.#supervision.onReadiness(name);
      };
      void probeContainer(readinessProbe, { clock, over, start, judge });
    }
    if (!hasExec(livenessProbe)) return;
    const judge = (isPassing: boolean): void => {
      if (isPassing) return;
      runningProcess.signal('SIGTERM');
      const kill = clock.timer(seconds * 1000, () => runningProcess.signal('SIGKILL'));
      over.addEventListener('abort', () => kill[Symbol.dispose](), { once: true });
    };
    void probeContainer(livenessProbe, { clock, over, start, judge });
  }
}
