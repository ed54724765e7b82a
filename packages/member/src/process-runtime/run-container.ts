import type { Clock } from '@perigee/kube/clock/clock';
import type { ContainerStatus } from '@perigee/kubernetes/core/pod-status';
import { present } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import { PodConfigError } from '../errors.ts';
import { backoffMs } from '../kubelet/restart-backoff.ts';
import type { ProcessContainer } from '../processes/process-spec.ts';
import type { ProcessExit } from '../processes/spawn.ts';

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

export type ContainerEnd = ProcessExit & { readonly message?: string; readonly reason?: string };

/** A started container. */
export interface StartedContainer {
  readonly containerID: string;
  readonly exited: Promise<ContainerEnd>;
}

export interface ContainerWork {
  /** The last known status, from this runtime or an earlier one. */
  readonly status: ContainerStatus;
  readonly policy: RestartPolicy;
  readonly clock: Clock;
  /** Aborted when the container must not start again. */
  readonly ending: AbortSignal;
  /** Aborted when a missing reference may have appeared, or the container must not start again. */
  readonly wake: () => AbortSignal;
  /** Prefix of messages, such as `container=main pod=p_default(uid)`. */
  readonly title: string;
  start(restartCount: number): Promise<StartedContainer>;
  /** The end of a container that an earlier runtime has started, if that is known. */
  recordedEnd(restartCount: number): Promise<ContainerEnd | undefined>;
  report(status: ContainerStatus): void;
}

/** Run time after which the back-off of restarts is reset. */
const STEADY_MS = 600_000;
const RETRY_MS = 10_000;

/** Waiting reason while references are missing. */
export const CONFIG_ERROR = 'CreateContainerConfigError';
const LOST_CODE = 137;

const LOST = {
  exitCode: LOST_CODE,
  reason: 'ContainerStatusUnknown',
  message: 'its process ended with the perigee that had started it',
};

/** The status of a container before its first start. */
export const freshStatus = (
  { name, image = '' }: ProcessContainer,
  reason: string,
): ContainerStatus => ({
  name,
  image,
  imageID: '',
  ready: false,
  started: false,
  restartCount: 0,
  state: { waiting: { reason } },
  lastState: {},
});

const restarts = (policy: RestartPolicy, exitCode: number): boolean =>
  policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);

const reasonOf = (exitCode: number): string => (exitCode === 0 ? 'Completed' : 'Error');

/** The status of a container after a restart of its runtime: nothing of it runs any more. */
const statusAfterRestart = (
  status: ContainerStatus,
  end: ContainerEnd | undefined,
  now: string,
): ContainerStatus => {
  const { state = {}, lastState = {}, containerID } = status;
  if (state.running !== undefined) {
    const { startedAt = now } = state.running;
    const how = end === undefined ? LOST : { reason: reasonOf(end.exitCode), ...end };
    const terminated = {
      ...how,
      startedAt,
      finishedAt: now,
      ...present({ containerID: containerID || undefined }),
    };
    return { ...status, ready: false, started: false, state: { terminated } };
  }
  return state.waiting !== undefined && lastState.terminated !== undefined
    ? { ...status, state: lastState }
    : status;
};

/** Runs a container as often as its restart policy demands. Resolves with the last status. */
export const runContainer = async (work: ContainerWork): Promise<ContainerStatus> => {
  const { policy, clock, ending, title } = work;
  const before = work.status;
  const end = before.state?.running && (await work.recordedEnd(before.restartCount));
  let status: ContainerStatus = statusAfterRestart(before, end, formatTime(clock.now()));
  const report = (update: Partial<ContainerStatus>): void => {
    status = { ...status, ready: false, started: false, ...update };
    work.report(status);
  };
  // Reported even if it is not restarted.
  if (status !== before) work.report(status);
  const waitWith = async (
    reason: string,
    message: string,
    ms: number,
    over: AbortSignal,
  ): Promise<void> => {
    report({ state: { waiting: { reason, message } } });
    await clock.sleep(ms, over).catch(() => {});
  };
  for (let crashes = status.restartCount; ; ) {
    const last = status.state?.terminated;
    if (last !== undefined) {
      if (ending.aborted || !restarts(policy, last.exitCode)) return status;
      const delayMs = backoffMs(crashes + 1);
      const message = `back-off ${delayMs / 1000}s restarting failed ${title}`;
      const endStatus = status;
      status = { ...status, lastState: { terminated: last } };
      if (delayMs > 0) await waitWith('CrashLoopBackOff', message, delayMs, ending);
      if (ending.aborted) return endStatus;
      crashes += 1;
    }
    if (ending.aborted) return status;
    const restartCount = status.restartCount + (last === undefined ? 0 : 1);
    const began = clock.now();
    try {
      const { containerID, exited } = await work.start(restartCount);
      const startedAt = formatTime(began);
      const state = { running: { startedAt } };
      report({ restartCount, containerID, imageID: status.image, started: true, state });
      const { exitCode, ...how } = await exited;
      const finishedAt = formatTime(clock.now());
      const times = { startedAt, finishedAt, containerID };
      const reason = reasonOf(exitCode);
      report({ state: { terminated: { exitCode, reason, ...how, ...times } } });
    } catch (error) {
      if (!(error instanceof PodConfigError) || error.isLasting) throw error;
      await waitWith(CONFIG_ERROR, error.message, RETRY_MS, work.wake());
      if (last !== undefined) status = { ...status, state: { terminated: last } };
    }
    if (clock.now() - began >= STEADY_MS) crashes = 0;
  }
};
