import type { Pod } from '@perigee/kubernetes/core/pod';
import { parseDuration } from '@perigee/schema/values/duration';

/** How long things take on the nodes of a member, unless a pod says otherwise. */
export interface PodDelays {
  /** From getting a node to running. */
  readonly startMs: number;
  /** From running to ready, beyond what readiness probes ask for. */
  readonly readyMs: number;
  /** How long the containers of pods run that end by themselves. */
  readonly runMs: number;
  /** From the wish to end a pod to its end; never longer than its grace period. */
  readonly stopMs: number;
}

export const STANDARD_DELAYS: PodDelays = { startMs: 1000, readyMs: 0, runMs: 5000, stopMs: 1000 };

export type Failure = 'image-pull' | 'crash-loop';

/** What the containers of a pod do. */
export interface PodBehaviour extends Omit<PodDelays, 'runMs'> {
  /** Absent when they run until they are stopped. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
  readonly failure: Failure | undefined;
}

const PREFIX = 'member.perigee.io/';
const CRASH_AFTER_MS = 1000;

const milliseconds = (written: string | undefined): number | undefined => {
  if (written === undefined) return undefined;
  try {
    return Math.max(0, parseDuration(written));
  } catch {
    return undefined;
  }
};

const readinessMs = ({ spec }: Pod): number =>
  Math.max(
    0,
    ...spec.containers.map(({ readinessProbe }) => readinessProbe?.initialDelaySeconds ?? 0),
  ) * 1000;

/** What a pod will do, by its annotations, its spec and what is usual in the member. An annotation that cannot be read counts as absent. */
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
