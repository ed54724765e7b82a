import type { Clock } from '@perigee/kube/clock/clock';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { containerId, formatContainerId } from './container-id.ts';
import type { ContainerLog } from './container-log.ts';
import { hasExec, probeContainer } from './exec-probe.ts';
import { attend, type LaunchPlace, orderFor, startError } from './launch-container.ts';
import { type ProcessContainer, processSpecOf } from './process-spec.ts';
import type { StartedContainer } from './run-container.ts';
import type { RunningProcess, Spawn, SpawnOrder } from './spawn.ts';

export interface ProcessesWorld extends LaunchPlace {
  readonly clock: Clock;
  readonly spawn: Spawn;
  /** Opens the log of a container that starts; the one before the last goes. */
  openLog(pod: Pod, container: string, restart: number): Promise<ContainerLog>;
}

interface Supervision {
  /** Aborted when nothing is to start any more. */
  readonly ending: AbortSignal;
  /** Told when a container has become ready, or is so no more. */
  onReadiness(container: string): void;
}

const DEFAULT_GRACE_SECONDS = 30;

/** The processes of one pod that run now. */
export class PodProcesses {
  readonly #world: ProcessesWorld;
  readonly #supervision: Supervision;
  readonly #live = new Set<RunningProcess>();
  readonly #ready = new Map<string, boolean>();

  constructor(world: ProcessesWorld, supervision: Supervision) {
    this.#world = world;
    this.#supervision = supervision;
  }

  /** Without a probe that can be made here, a container is ready while it runs. */
  isReady(container: string): boolean {
    return this.#ready.get(container) ?? true;
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    for (const running of this.#live) running.signal(name);
  }

  async start(container: ProcessContainer, restart: number): Promise<StartedContainer> {
    const { pod, spawn } = this.#world;
    const order = await orderFor(container, this.#world);
    const log = await this.#world.openLog(pod, container.name, restart);
    const containerID = formatContainerId(containerId(pod, container.name, restart));
    const running = await spawn(order).catch(startError);
    if (!('pid' in running)) {
      await log.end();
      return { containerID, exited: Promise.resolve(running) };
    }
    const over = new AbortController();
    const exited = this.#attend(running, log, over);
    await this.#enter(running);
    this.#probe(container, order, running, over.signal);
    return { containerID, exited };
  }

  async #enter(running: RunningProcess): Promise<void> {
    this.#live.add(running);
    if (this.#supervision.ending.aborted) running.signal('SIGKILL');
    // It is marked as ours also without the note.
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
    running: RunningProcess,
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
      running.signal('SIGTERM');
      const kill = clock.timer(seconds * 1000, () => running.signal('SIGKILL'));
      over.addEventListener('abort', () => kill[Symbol.dispose](), { once: true });
    };
    void probeContainer(livenessProbe, { clock, over, start, judge });
  }
}
