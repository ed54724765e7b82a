import type { Pod } from '@perigee/kubernetes/core/pod';
import { parseDuration } from '@perigee/schema/values/duration';

/** Durations of simulated steps on the nodes of a member; a pod can override them. */
export interface PodDelays {
  /** From binding to running. */
  readonly startMs: number;
  /** From running to ready, beyond the delays of readiness probes. */
  readonly readyMs: number;
  /** Run time of containers that end by themselves. */
  readonly runMs: number;
  /** From deletion to the end; capped by the grace period. */
  readonly stopMs: number;
}

export const STANDARD_DELAYS: PodDelays = { startMs: 1000, readyMs: 0, runMs: 5000, stopMs: 1000 };

export type Failure = 'image-pull' | 'crash-loop';

/** Simulated behaviour of the containers of a pod. */
export interface PodBehaviour extends Omit<PodDelays, 'runMs'> {
  /** Absent for containers that run until they are stopped. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
  readonly failure: Failure | undefined;
}

const PREFIX = 'member.perigee.io/';
const CRASH_AFTER_MS = 1000;

const milliseconds = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  try {
    return Math.max(0, parseDuration(text));
  } catch {
    return undefined;
  }
};

const readinessMs = ({ spec }: Pod): number =>
  Math.max(
    0,
    ...spec.containers.map(({ readinessProbe }) => readinessProbe?.initialDelaySeconds ?? 0),
  ) * 1000;

/**
 * The behaviour of a pod, by its annotations, its spec and the defaults of the member. An annotation that cannot be
 * parsed is ignored.
 */
export const behaviourOf = (pod: Pod, delays: PodDelays): PodBehaviour => {
  const annotations = pod.metadata.annotations ?? {};
  const at = (name: string): string | undefined => annotations[PREFIX + name];
  const fail = at('fail');
  const failure = fail === 'image-pull' || fail === 'crash-loop' ? fail : undefined;
  const isCrashing = failure === 'crash-loop';
  const endsByItself = pod.spec.restartPolicy !== undefined && pod.spec.restartPolicy !== 'Always';
  const usualRunMs = isCrashing ? CRASH_AFTER_MS : endsByItself ? delays.runMs : undefined;
  const code = Number(at('exit-code') ?? (isCrashing ? 1 : 0));
  return {
    startMs: milliseconds(at('start-delay')) ?? delays.startMs,
    readyMs: milliseconds(at('ready-delay')) ?? Math.max(delays.readyMs, readinessMs(pod)),
    runMs: milliseconds(at('run-for')) ?? usualRunMs,
    stopMs: milliseconds(at('stop-delay')) ?? delays.stopMs,
    exitCode: Number.isInteger(code) && code >= 0 && code < 256 ? code : 1,
    failure,
  };
};
