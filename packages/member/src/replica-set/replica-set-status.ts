import type { ReplicaSet, ReplicaSetStatus } from '@perigee/kubernetes/apps/replica-set';
import type { WorkloadCondition } from '@perigee/kubernetes/apps/workload-condition';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { present, unlessEmpty } from '@perigee/schema/present';
import { availableAt, isActive, isFinished, isPodReady, isTerminating } from '../pods/pod-state.ts';
import { withCondition, withoutCondition } from '../status/workload-conditions.ts';

export interface Counted {
  readonly status: ReplicaSetStatus;
  /** The next time at which a ready pod becomes available. */
  readonly nextAvailableAt: number | undefined;
}

const FAILURE = 'ReplicaFailure';

const failureOf = (
  status: ReplicaSetStatus | undefined,
  shortage: number,
  failure: string | undefined,
  time: string,
): readonly WorkloadCondition[] => {
  const before = status?.conditions ?? [];
  if (failure === undefined) return withoutCondition(before, FAILURE);
  const reason = shortage > 0 ? 'FailedCreate' : 'FailedDelete';
  return before.some(({ type }) => type === FAILURE)
    ? before
    : withCondition(before, { type: FAILURE, status: 'True', reason, message: failure }, time);
};

/** The status of a set of pods at a moment. `failure` is the error of the last reconcile. */
export const replicaSetStatus = (
  { metadata, spec, status }: ReplicaSet,
  pods: readonly Pod[],
  now: { readonly ms: number; readonly text: string },
  failure?: string,
): Counted => {
  const { minReadySeconds = 0, template, replicas: desiredCount = 1 } = spec;
  const labels = Object.entries(template.metadata?.labels ?? {});
  const active = pods.filter(isActive);
  const ready = active.filter(isPodReady);
  const moments = ready.map((pod) => availableAt(pod, minReadySeconds) ?? now.ms);
  const later = moments.filter((moment) => moment > now.ms);
  const conditions = failureOf(status, desiredCount - active.length, failure, now.text);
  return {
    nextAvailableAt: later.length === 0 ? undefined : Math.min(...later),
    status: {
      replicas: active.length,
      fullyLabeledReplicas: active.filter((pod) =>
        labels.every(([key, value]) => pod.metadata.labels?.[key] === value),
      ).length,
      readyReplicas: ready.length,
      availableReplicas: ready.length - later.length,
      terminatingReplicas: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
      observedGeneration: metadata.generation ?? 0,
      ...present({ conditions: unlessEmpty(conditions) }),
    },
  };
};
