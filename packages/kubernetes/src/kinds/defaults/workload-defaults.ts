import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { changedAt, changedItems, filled, mapAt, objectAt } from '@perigee/schema/json-fields';
import type { Default } from '../type-defaults.ts';

/** Distinguishes the templates that a daemon set had. */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const MAX_INT32 = 2 ** 31 - 1;

/** A strategy of rolling updates has its numbers; all others have none. */
const rolling =
  (numbers: JsonObject): Default =>
  (strategy) => {
    const typed = filled(strategy, { type: 'RollingUpdate' });
    if (typed.type !== 'RollingUpdate') return typed;
    return { ...typed, rollingUpdate: filled(objectAt(typed, 'rollingUpdate'), numbers) };
  };

const deployment: Default = (spec) =>
  filled(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });

/** Unlike in other kinds, a strategy that names its type gets no `rollingUpdate` with it. */
const statefulSetStrategy: Default = (strategy) => {
  const typed =
    strategy.type === undefined
      ? filled(strategy, { type: 'RollingUpdate', rollingUpdate: {} })
      : strategy;
  if (typed.type !== 'RollingUpdate') return typed;
  return changedAt(typed, 'rollingUpdate', (numbers) => filled(numbers, { partition: 0 }));
};

const claimTemplate: Default = (claim) =>
  filled(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });

const statefulSet: Default = (spec) =>
  filled(changedItems(spec, 'volumeClaimTemplates', claimTemplate), {
    replicas: 1,
    revisionHistoryLimit: 10,
    podManagementPolicy: 'OrderedReady',
    persistentVolumeClaimRetentionPolicy: {},
  });

/** These do not hold for the templates of jobs in a CronJob. */
const jobSpec: Default = (spec) =>
  filled(spec, {
    parallelism: 1,
    ...(spec.parallelism === undefined ? { completions: 1 } : {}),
    backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : MAX_INT32,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  });

/** An object without labels takes those of its pods. */
const labelledAsTemplate: Default = (object) => {
  const labels = mapAt(object, 'spec', 'template', 'metadata', 'labels');
  if (Object.keys(labels).length === 0) return object;
  return { ...object, metadata: filled(objectAt(object, 'metadata'), { labels }) };
};

const replicationController: Default = (object) => {
  const labels = mapAt(object, 'spec', 'template', 'metadata', 'labels');
  const selecting =
    Object.keys(labels).length === 0
      ? object
      : changedAt(object, 'spec', (spec) => filled(spec, { selector: labels }));
  return labelledAsTemplate(selecting);
};

/** Go keeps the count as a number of its own, and so always writes it down. */
/** Under `OnDelete`, both fields of a `rollingUpdate` that is set all the same default to 0. */
const daemonSetStrategy: Default = (value) =>
  changedAt(rolling({ maxUnavailable: 1, maxSurge: 0 })(value), 'rollingUpdate', (update) =>
    filled(update, { maxUnavailable: 0, maxSurge: 0 }),
  );

const daemonSet: Default = (object) => {
  const metadata = objectAt(object, 'metadata');
  const { annotations = {} } = metadata;
  if (!isJsonObject(annotations)) return object;
  return {
    ...object,
    metadata: { ...metadata, annotations: filled(annotations, { [TEMPLATE_GENERATION]: '0' }) },
  };
};

export const WORKLOAD_DEFAULTS: readonly (readonly [type: string, apply: Default])[] = [
  ['apps.v1.DeploymentSpec', deployment],
  ['apps.v1.DeploymentStrategy', rolling({ maxUnavailable: '25%', maxSurge: '25%' })],
  ['apps.v1.ReplicaSetSpec', (spec) => filled(spec, { replicas: 1 })],
  ['apps.v1.DaemonSet', daemonSet],
  ['apps.v1.DaemonSetSpec', (spec) => filled(spec, { revisionHistoryLimit: 10 })],
  ['apps.v1.DaemonSetUpdateStrategy', daemonSetStrategy],
  ['apps.v1.StatefulSetSpec', statefulSet],
  ['apps.v1.StatefulSetUpdateStrategy', statefulSetStrategy],
  [
    'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy',
    (policy) => filled(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
  ],
  ['core.v1.ReplicationController', replicationController],
  ['batch.v1.Job', (object) => changedAt(labelledAsTemplate(object), 'spec', jobSpec)],
  [
    'batch.v1.CronJobSpec',
    (spec) =>
      filled(spec, {
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      }),
  ],
  [
    'batch.v1.PodFailurePolicyOnPodConditionsPattern',
    (pattern) => filled(pattern, { status: 'True' }),
  ],
];
