import type { Deployment, DeploymentStatus } from '@perigee/kubernetes/apps/deployment';
import type { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import type { WorkloadCondition } from '@perigee/kubernetes/apps/workload-condition';
import { present } from '@perigee/schema/present';
import { parseTime } from '@perigee/schema/values/time';
import { conditionOf, withoutCondition } from '../status/workload-conditions.ts';
import { totalReplicas } from './roll.ts';
import { rollingBounds, wantedReplicas } from './rolling-bounds.ts';

type Conditions = readonly WorkloadCondition[];
type ConditionUpdate = Pick<WorkloadCondition, 'type' | 'status' | 'reason' | 'message'>;
type Count = 'replicas' | 'readyReplicas' | 'availableReplicas' | 'terminatingReplicas';

const NO_DEADLINE = 2 ** 31 - 1;

export const progressDeadlineMs = ({ spec }: Deployment): number | undefined => {
  const { progressDeadlineSeconds: seconds } = spec;
  return seconds === undefined || seconds === NO_DEADLINE ? undefined : seconds * 1000;
};

/** Refreshes lastUpdateTime, and skips conditions that are the same as before. */
export const withDeploymentCondition = (
  conditions: Conditions,
  update: ConditionUpdate,
  time: string,
): Conditions => {
  const old = conditionOf(conditions, update.type);
  if (old?.status === update.status && old.reason === update.reason) return conditions;
  const since = old?.status === update.status ? old.lastTransitionTime : undefined;
  return [
    ...withoutCondition(conditions, update.type),
    { ...update, lastUpdateTime: time, lastTransitionTime: since ?? time },
  ];
};

const sum = (sets: readonly ReplicaSet[], count: Count): number =>
  sets.reduce((total, { status }) => total + (status?.[count] ?? 0), 0);

/** The counts, and whether enough pods are available. */
export const countedStatus = (
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  time: string,
): DeploymentStatus => {
  const { status, metadata } = deployment;
  const available = sum(all, 'availableReplicas');
  const least = wantedReplicas(deployment) - rollingBounds(deployment).maxUnavailable;
  const availability: ConditionUpdate =
    available >= least
      ? {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        }
      : {
          type: 'Available',
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        };
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas: sum(all, 'replicas'),
    updatedReplicas: sum(newSet === undefined ? [] : [newSet], 'replicas'),
    readyReplicas: sum(all, 'readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, totalReplicas(all) - available),
    terminatingReplicas: sum(all, 'terminatingReplicas'),
    ...present({ collisionCount: status?.collisionCount }),
    conditions: withDeploymentCondition(status?.conditions ?? [], availability, time),
  };
};

export const isComplete = (deployment: Deployment, now: DeploymentStatus): boolean => {
  const wantedSize = wantedReplicas(deployment);
  return (
    now.updatedReplicas === wantedSize &&
    now.replicas === wantedSize &&
    now.availableReplicas === wantedSize &&
    (now.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
};

const oldOnes = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number =>
  replicas - updatedReplicas;

const isProgressing = (before: DeploymentStatus, now: DeploymentStatus): boolean =>
  (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
  oldOnes(now) < oldOnes(before) ||
  (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
  (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0);

/** The progress deadline as a time; undefined when there is none. */
export const lateAt = (deployment: Deployment, conditions: Conditions): number | undefined => {
  const deadline = progressDeadlineMs(deployment);
  const { reason, lastUpdateTime } = conditionOf(conditions, 'Progressing') ?? {};
  if (deadline === undefined || lastUpdateTime === undefined) return undefined;
  if (reason === 'NewReplicaSetAvailable' || reason === 'ProgressDeadlineExceeded') {
    return undefined;
  }
  return parseTime(lastUpdateTime) + deadline;
};

const replicaFailure = (
  newSet: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
): WorkloadCondition | undefined =>
  [...(newSet === undefined ? [] : [newSet]), ...all]
    .map(({ status }) => conditionOf(status?.conditions, 'ReplicaFailure'))
    .find((condition) => condition !== undefined);

/** The status of a rollout: the counts, and how far it has come. */
export const rolloutStatus = (
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  now: { readonly ms: number; readonly text: string },
): DeploymentStatus => {
  const countStatus = countedStatus(deployment, newSet, all, now.text);
  const subject =
    newSet === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${newSet.metadata.name}"`;
  let conditions = countStatus.conditions ?? [];
  const set = (status: 'True' | 'False', reason: string, does: string): Conditions =>
    withDeploymentCondition(
      conditions,
      { type: 'Progressing', status, reason, message: `${subject} ${does}` },
      now.text,
    );
  const current = conditionOf(conditions, 'Progressing');
  const isDone =
    countStatus.replicas === countStatus.updatedReplicas &&
    current?.reason === 'NewReplicaSetAvailable';
  const late = lateAt(deployment, conditions);
  if (progressDeadlineMs(deployment) === undefined) {
    conditions = withoutCondition(conditions, 'Progressing');
  } else if (isDone) {
    // A finished rollout is not measured again.
  } else if (isComplete(deployment, countStatus)) {
    conditions = set('True', 'NewReplicaSetAvailable', 'has successfully progressed.');
  } else if (isProgressing(deployment.status ?? {}, countStatus)) {
    const since = current?.status === 'True' ? current.lastTransitionTime : undefined;
    const otherConditions = withoutCondition(conditions, 'Progressing');
    conditions = [
      ...otherConditions,
      {
        type: 'Progressing',
        status: 'True',
        reason: 'ReplicaSetUpdated',
        message: `${subject} is progressing.`,
        lastUpdateTime: now.text,
        lastTransitionTime: since ?? now.text,
      },
    ];
  } else if (late !== undefined && late < now.ms) {
    conditions = set('False', 'ProgressDeadlineExceeded', 'has timed out progressing.');
  }
  const failure = replicaFailure(newSet, all);
  conditions =
    failure === undefined
      ? withoutCondition(conditions, 'ReplicaFailure')
      : withDeploymentCondition(conditions, failure, now.text);
  return { ...countStatus, conditions };
};
