import type { Pod } from '@perigee/kubernetes/core/pod';
import type { ContainerState, PodStatus } from '@perigee/kubernetes/core/pod-status';
import { sameJson } from '@perigee/schema/same-json';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import type { MissingConfig } from '../config/missing-config.ts';
import { isFinished, podCondition } from '../pods/pod-state.ts';
import type { PodBehaviour } from './behaviour.ts';
import { cannotPull } from './cannot-pull.ts';
import { containerStatuses, initStatuses } from './container-statuses.ts';
import { endConditions, liveConditions, mergeConditions } from './pod-conditions.ts';
import { backoffMs } from './restart-backoff.ts';
import { isBeforeStart, waitingForConfig } from './waiting-for-config.ts';

/** The next action of a kubelet for a pod. */
export type KubeletStep =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'report'; readonly status: PodStatus }
  | { readonly kind: 'remove' };

export interface NodeFacts {
  readonly hostIP: string;
  readonly podIP: string;
  /** Missing references of the pod. */
  readonly missingConfig?: MissingConfig;
}

const NOTHING: KubeletStep = { kind: 'nothing' };
/** Exit code of a process that ends on SIGTERM. */
const TERMINATED = 143;
/** Upper bound on the time between marking a pod as gone and its removal by the server. */
const REMOVAL_MS = 5000;

const momentOf = (time: string | null | undefined, otherwise: string): number =>
  parseTime(typeof time === 'string' ? time : otherwise);

const terminatedState = (
  exitCode: number,
  startedAt: string | undefined,
  finishedAt: string,
): ContainerState => ({
  terminated: {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: startedAt ?? finishedAt,
    finishedAt,
  },
});

const restartsOf = ({ status }: Pod): number => status?.containerStatuses?.[0]?.restartCount ?? 0;

const report = (pod: Pod, status: PodStatus): KubeletStep =>
  sameJson(status, pod.status ?? {}) ? NOTHING : { kind: 'report', status };

const endedStep = (
  pod: Pod,
  phase: 'Succeeded' | 'Failed',
  state: ContainerState,
  time: string,
  cause: Pick<PodStatus, 'reason' | 'message'> = {},
): KubeletStep => {
  const old = pod.status ?? {};
  return report(pod, {
    ...old,
    ...cause,
    phase,
    startTime: old.startTime ?? time,
    conditions: mergeConditions(old.conditions ?? [], endConditions(phase), time),
    containerStatuses: containerStatuses(pod, {
      state,
      ready: false,
      restartCount: restartsOf(pod),
    }),
    ...initStatuses(pod, old.startTime ?? time, state),
  });
};

const runningStep = (
  pod: Pod,
  { hostIP, podIP }: NodeFacts,
  time: string,
  containers: {
    readonly state: ContainerState;
    readonly ready: boolean;
    readonly restartCount: number;
    readonly lastState?: ContainerState;
  },
): KubeletStep => {
  const old = pod.status ?? {};
  const ip = old.podIP ?? (pod.spec.hostNetwork ? hostIP : podIP);
  const startTime = old.startTime ?? time;
  return report(pod, {
    ...old,
    phase: 'Running',
    startTime,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP: ip,
    podIPs: [{ ip }],
    conditions: mergeConditions(old.conditions ?? [], liveConditions(pod, containers.ready), time),
    containerStatuses: containerStatuses(pod, containers),
    ...initStatuses(pod, startTime, { running: { startedAt: startTime } }),
  });
};

/** Containers that ended by themselves. */
const exit = (
  pod: Pod,
  { exitCode }: PodBehaviour,
  facts: NodeFacts,
  startedAt: string | undefined,
  now: number,
): KubeletStep => {
  const time = formatTime(now);
  const state = terminatedState(exitCode, startedAt, time);
  const { restartPolicy = 'Always' } = pod.spec;
  const restarts = restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
  if (!restarts) return endedStep(pod, exitCode === 0 ? 'Succeeded' : 'Failed', state, time);
  const restartCount = restartsOf(pod);
  if (backoffMs(restartCount + 1) === 0) {
    return runningStep(pod, facts, time, {
      state: { running: { startedAt: time } },
      ready: false,
      restartCount: restartCount + 1,
      lastState: state,
    });
  }
  const name = pod.spec.containers[0]?.name ?? '';
  const seconds = backoffMs(restartCount + 1) / 1000;
  const message = `back-off ${seconds}s restarting failed container=${name} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
  return runningStep(pod, facts, time, {
    state: { waiting: { reason: 'CrashLoopBackOff', message } },
    ready: false,
    restartCount,
    lastState: state,
  });
};

const whileRunning = (
  pod: Pod,
  behaviour: PodBehaviour,
  facts: NodeFacts,
  startedAt: string,
  now: number,
): KubeletStep => {
  const { runMs, readyMs } = behaviour;
  const began = parseTime(startedAt);
  const endAt = runMs === undefined ? Number.POSITIVE_INFINITY : began + runMs;
  if (now >= endAt) return exit(pod, behaviour, facts, startedAt, now);
  const readyAt = began + readyMs;
  const step = runningStep(pod, facts, formatTime(now), {
    state: { running: { startedAt } },
    ready: now >= readyAt,
    restartCount: restartsOf(pod),
  });
  if (step.kind !== 'nothing') return step;
  const until = Math.min(endAt, now < readyAt ? readyAt : Number.POSITIVE_INFINITY);
  return Number.isFinite(until) ? { kind: 'wait', until } : NOTHING;
};

const whileBackingOff = (pod: Pod, facts: NodeFacts, now: number): KubeletStep => {
  const restartCount = restartsOf(pod) + 1;
  const last = pod.status?.containerStatuses?.[0]?.lastState?.terminated?.finishedAt;
  const until = momentOf(last, pod.metadata.creationTimestamp) + backoffMs(restartCount);
  if (now < until) return { kind: 'wait', until };
  return runningStep(pod, facts, formatTime(now), {
    state: { running: { startedAt: formatTime(now) } },
    ready: false,
    restartCount,
  });
};

const whileEnding = (pod: Pod, { stopMs }: PodBehaviour, now: number): KubeletStep => {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  const latest = momentOf(deletionTimestamp, creationTimestamp);
  const until = Math.min(latest - deletionGracePeriodSeconds * 1000 + stopMs, latest);
  if (now < until) return { kind: 'wait', until };
  const startedAt = pod.status?.containerStatuses?.[0]?.state?.running?.startedAt;
  const state = terminatedState(TERMINATED, startedAt, formatTime(now));
  return endedStep(pod, 'Failed', state, formatTime(now));
};

/** The kubelet removes a pod itself when the server stopped between marking and removing it. */
const whileLeaving = ({ metadata }: Pod, now: number): KubeletStep => {
  if (metadata.deletionGracePeriodSeconds !== 0) return { kind: 'remove' };
  const until = momentOf(metadata.deletionTimestamp, metadata.creationTimestamp) + REMOVAL_MS;
  return now < until ? { kind: 'wait', until } : { kind: 'remove' };
};

/** Starts the containers, if no reference is missing. */
const start = (
  pod: Pod,
  { failure, readyMs }: PodBehaviour,
  facts: NodeFacts,
  now: number,
): KubeletStep => {
  const time = formatTime(now);
  if (facts.missingConfig !== undefined) {
    return report(pod, waitingForConfig(pod, facts.missingConfig, facts.hostIP, time));
  }
  if (failure === 'image-pull') return report(pod, cannotPull(pod, facts.hostIP, time));
  const state = { running: { startedAt: time } };
  return runningStep(pod, facts, time, { state, ready: readyMs === 0, restartCount: 0 });
};

/** Decides from the status of the pod alone, so that a restarted kubelet continues. */
export const nextStep = (
  pod: Pod,
  behaviour: PodBehaviour,
  facts: NodeFacts,
  now: number,
): KubeletStep => {
  const { metadata, spec, status } = pod;
  const isEnding = metadata.deletionTimestamp !== undefined;
  if (isFinished(pod)) return isEnding ? whileLeaving(pod, now) : NOTHING;
  if (isEnding) return whileEnding(pod, behaviour, now);
  const { startTime, containerStatuses: [container] = [] } = status ?? {};
  if (startTime === undefined) {
    const scheduled = podCondition(pod, 'PodScheduled')?.lastTransitionTime;
    const until = momentOf(scheduled, metadata.creationTimestamp) + behaviour.startMs;
    if (now < until) return { kind: 'wait', until };
    return start(pod, behaviour, facts, now);
  }
  const { activeDeadlineSeconds } = spec;
  const deadline =
    activeDeadlineSeconds === undefined
      ? Number.POSITIVE_INFINITY
      : parseTime(startTime) + activeDeadlineSeconds * 1000;
  const startedAt = container?.state?.running?.startedAt;
  if (now >= deadline) {
    const state = terminatedState(TERMINATED, startedAt, formatTime(now));
    return endedStep(pod, 'Failed', state, formatTime(now), {
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
  }
  const step =
    startedAt !== undefined
      ? whileRunning(pod, behaviour, facts, startedAt, now)
      : container?.state?.waiting?.reason === 'CrashLoopBackOff'
        ? whileBackingOff(pod, facts, now)
        : isBeforeStart(container?.state?.waiting?.reason)
          ? start(pod, behaviour, facts, now)
          : NOTHING;
  if (!Number.isFinite(deadline) || step.kind === 'report' || step.kind === 'remove') return step;
  return { kind: 'wait', until: step.kind === 'wait' ? Math.min(step.until, deadline) : deadline };
};
