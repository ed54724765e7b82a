import type { Logger } from '@perigee/kube/observe/logger';
import type { ContainerStatus, PodStatus } from '@perigee/kubernetes/core/pod-status';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import type { MissingConfig } from '../config/missing-config.ts';
import { PodConfigError } from '../errors.ts';
import { type ProcessContainer, processSpecOf } from '../processes/process-spec.ts';
import { requireCommand } from './launch-container.ts';
import { killMarked } from './leftovers.ts';
import { PodProcesses, type ProcessesWorld } from './pod-processes.ts';
import { freshStatus, type RestartPolicy, runContainer } from './run-container.ts';

export interface PodRunWorld extends ProcessesWorld {
  readonly logger: Logger;
  /** Called when the status changes. */
  onChange(): void;
}

export type Verdict = Pick<PodStatus, 'reason' | 'message'> & {
  readonly phase: 'Succeeded' | 'Failed';
};

const RETRY_MS = 10_000;
const DEFAULT_GRACE_SECONDS = 30;
const DEADLINE: Verdict = {
  phase: 'Failed',
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

interface Sidecar {
  readonly endStatus: Promise<ContainerStatus>;
}

/** True for init containers that keep running beside the others. */
const isSidecar = ({ restartPolicy }: ProcessContainer): boolean => restartPolicy === 'Always';

/** A pod that runs as processes, from its first container to its last. */
export class PodRun {
  readonly startTime: string;
  readonly completion: Promise<void>;
  readonly #world: PodRunWorld;
  readonly #ending = new AbortController();
  readonly #statuses = new Map<string, ContainerStatus>();
  readonly #processes: PodProcesses;
  readonly #timers = new DisposableStack();
  #isInitialised = false;
  #retry = new AbortController();
  #missing = '';
  #mountProblem: string | undefined;
  #cause: Verdict | undefined;
  #verdict: Verdict | undefined;

  constructor(world: PodRunWorld) {
    const { pod, clock } = world;
    this.#world = world;
    this.#processes = new PodProcesses(world, {
      ending: this.#ending.signal,
      onReadiness: (name) => this.#report(name, this.#statuses.get(name)),
    });
    const { containers, initContainers = [], activeDeadlineSeconds } = processSpecOf(pod);
    const { containerStatuses = [], initContainerStatuses = [], startTime } = pod.status ?? {};
    const oldStatuses = [...initContainerStatuses, ...containerStatuses];
    const reason = initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating';
    for (const container of [...initContainers, ...containers]) {
      const old = oldStatuses.find(({ name }) => name === container.name);
      this.#statuses.set(container.name, old ?? freshStatus(container, reason));
    }
    this.startTime = startTime ?? formatTime(clock.now());
    if (activeDeadlineSeconds !== undefined) {
      const end = parseTime(this.startTime) + activeDeadlineSeconds * 1000;
      this.#timers.use(clock.timer(end - clock.now(), () => this.#end(DEADLINE)));
    }
    this.completion = this.#run();
  }

  /** True when all init containers have completed or, if sidecars, started. */
  get isInitialised(): boolean {
    return this.#isInitialised;
  }

  /** The error of mounting its volumes, in the words of a kubelet. */
  get mountProblem(): string | undefined {
    return this.#mountProblem;
  }

  /** Updates the missing references: when they differ from before, the pod is tried again. */
  lacks(missing: MissingConfig | undefined): void {
    const now = missing ? JSON.stringify([missing.volumes, ...missing.containers]) : '';
    if (now === this.#missing) return;
    this.#missing = now;
    this.#retry.abort();
    this.#retry = new AbortController();
  }

  /** The final verdict, once it has ended. */
  get verdict(): Verdict | undefined {
    return this.#verdict;
  }

  statusOf(container: string): ContainerStatus | undefined {
    return this.#statuses.get(container);
  }

  /** Sends SIGTERM to all processes, and SIGKILL after the grace period. */
  stop(graceMs: number): void {
    if (this.#timers.disposed) return;
    if (!this.#ending.signal.aborted) {
      this.#ending.abort();
      this.#processes.signal('SIGTERM');
    }
    if (graceMs > 0) this.#timers.use(this.#world.clock.timer(graceMs, () => this.#kill()));
    else this.#kill();
  }

  #kill(): void {
    this.#processes.signal('SIGKILL');
  }

  #end(cause: Verdict): void {
    const { terminationGracePeriodSeconds: seconds = DEFAULT_GRACE_SECONDS } = this.#world.pod.spec;
    this.#cause ??= cause;
    this.stop(seconds * 1000);
  }

  async #run(): Promise<void> {
    const { pod, folder, logger, onChange } = this.#world;
    let verdict: Verdict;
    try {
      verdict = await this.#runContainers();
    } catch (error) {
      const isConfig = error instanceof PodConfigError;
      const message = error instanceof Error ? error.message : String(error);
      const reason = isConfig ? 'CreateContainerConfigError' : 'Error';
      if (!isConfig) logger.error('a pod could not be run', { pod: pod.metadata.name, error });
      this.#markWaiting(reason, message);
      this.stop(0);
      verdict = { phase: 'Failed', reason, message };
    }
    this.#timers.dispose();
    await killMarked(new Set([pod.metadata.uid]));
    await folder.clear().catch((error) => logger.warn('files of a pod remain', { error }));
    this.#verdict = this.#cause ?? verdict;
    onChange();
  }

  async #runContainers(): Promise<Verdict> {
    const {
      containers,
      initContainers = [],
      restartPolicy = 'Always',
    } = processSpecOf(this.#world.pod);
    const policy = restartPolicy as RestartPolicy;
    for (const container of [...initContainers, ...containers]) requireCommand(container);
    await this.#prepare();
    const sidecars: Sidecar[] = [];
    for (const container of initContainers) {
      if (isSidecar(container)) {
        sidecars.push(await this.#startSidecar(container));
        continue;
      }
      const isDone = this.#statuses.get(container.name)?.state?.terminated?.exitCode === 0;
      // An init container restarts until it succeeds, unless the policy is Never.
      const often = policy === 'Always' ? 'OnFailure' : policy;
      const end = isDone ? undefined : await this.#runOne(container, often);
      if (end && end.state?.terminated?.exitCode !== 0) return this.#afterAll(sidecars, 'Failed');
    }
    this.#isInitialised = true;
    const ends = await Promise.all(containers.map((container) => this.#runOne(container, policy)));
    const isFine = ends.every(({ state }) => state?.terminated?.exitCode === 0);
    return this.#afterAll(sidecars, isFine ? 'Succeeded' : 'Failed');
  }

  async #afterAll(sidecars: readonly Sidecar[], phase: Verdict['phase']): Promise<Verdict> {
    const { terminationGracePeriodSeconds: seconds = DEFAULT_GRACE_SECONDS } = this.#world.pod.spec;
    if (sidecars.length > 0) this.stop(seconds * 1000);
    await Promise.all(sidecars.map(({ endStatus }) => endStatus));
    return { phase };
  }

  /** Resolves when the sidecar has started, or never will: later containers may need it. */
  async #startSidecar(container: ProcessContainer): Promise<Sidecar> {
    const start = Promise.withResolvers<void>();
    const endStatus = this.#runOne(container, 'Always', start.resolve);
    await Promise.race([start.promise, endStatus]);
    return { endStatus };
  }

  /** Prepares the files of the pod; retries while references are missing. */
  async #prepare(): Promise<void> {
    const { folder, clock, volumes } = this.#world;
    while (!this.#ending.signal.aborted) {
      try {
        await folder.make();
        await volumes.mount();
        this.#mountProblem = undefined;
        return;
      } catch (error) {
        if (!(error instanceof PodConfigError) || error.isLasting) throw error;
        this.#mountProblem = error.message;
        this.#world.onChange();
        await clock.sleep(RETRY_MS, this.#wake()).catch(() => {});
      }
    }
  }

  /** Aborted when a retry is worthwhile, or the pod is to end. */
  #wake(): AbortSignal {
    return AbortSignal.any([this.#ending.signal, this.#retry.signal]);
  }

  #markWaiting(reason: string, message: string): void {
    for (const [name, status] of this.#statuses) {
      if (status.state?.waiting === undefined) continue;
      this.#statuses.set(name, { ...status, state: { waiting: { reason, message } } });
    }
    this.#world.onChange();
  }

  #report(name: string, status: ContainerStatus | undefined): void {
    if (status === undefined) return;
    const ready = status.state?.running !== undefined && this.#processes.isReady(name);
    this.#statuses.set(name, { ...status, ready });
    this.#world.onChange();
  }

  #runOne(
    container: ProcessContainer,
    policy: RestartPolicy,
    onStart = () => {},
  ): Promise<ContainerStatus> {
    const { pod, clock } = this.#world;
    const { name, namespace, uid } = pod.metadata;
    return runContainer({
      status: this.#statuses.get(container.name) ?? freshStatus(container, ''),
      policy,
      clock,
      ending: this.#ending.signal,
      wake: () => this.#wake(),
      title: `container=${container.name} pod=${name}_${namespace}(${uid})`,
      start: (restart) => this.#processes.start(container, restart),
      recordedEnd: (restart) => this.#processes.recordedEnd(container, restart),
      report: (status) => {
        this.#report(container.name, status);
        if (status.started) onStart();
      },
    });
  }
}
