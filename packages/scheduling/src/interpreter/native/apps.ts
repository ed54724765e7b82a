import type { JsonObject } from '@perigee/schema/json';
import { numberIn, objectIn, objectsIn, textIn, withField } from '../fields.ts';
import type { KindInterpreter } from '../interpreter.ts';
import { aggregateSums, reflectGenerations } from './generations.ts';
import { count, healthyIf, isObserved, podTemplateAt, replicasAt } from './workload.ts';

const POD_SPEC = ['spec', 'template', 'spec'] as const;
const apiVersion = 'apps/v1';

const sumsOf = (fields: readonly string[]) => ({
  reflect: reflectGenerations([...fields, 'observedGeneration']),
  aggregate: aggregateSums(fields),
});

const replicasOf = (object: JsonObject): number => numberIn(object, 'spec', 'replicas') ?? 0;

/** Keeps the observed replicas if an autoscaler in the member owns them, by the label. */
const retainReplicas = (desired: JsonObject, observed: JsonObject): JsonObject => {
  const labels = objectIn(desired, 'metadata', 'labels');
  const replicas = numberIn(observed, 'spec', 'replicas');
  return textIn(labels, 'resourcetemplate.karmada.io/retain-replicas') === 'true' &&
    replicas !== undefined
    ? withField(desired, ['spec', 'replicas'], replicas)
    : desired;
};

export const deployment: KindInterpreter = {
  apiVersion,
  kind: 'Deployment',
  ...replicasAt('replicas'),
  ...podTemplateAt(...POD_SPEC),
  ...sumsOf([
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
  ]),
  retain: retainReplicas,
  health: (object) =>
    healthyIf(
      isObserved(object) &&
        count(object, 'updatedReplicas') >= replicasOf(object) &&
        count(object, 'availableReplicas') >= count(object, 'updatedReplicas'),
    ),
};

export const replicaSet: KindInterpreter = {
  apiVersion,
  kind: 'ReplicaSet',
  ...replicasAt('replicas'),
  ...podTemplateAt(...POD_SPEC),
  ...sumsOf(['replicas', 'readyReplicas', 'availableReplicas']),
  health: (object) =>
    healthyIf(isObserved(object) && count(object, 'availableReplicas') >= replicasOf(object)),
};

export const statefulSet: KindInterpreter = {
  apiVersion,
  kind: 'StatefulSet',
  ...replicasAt('replicas'),
  ...sumsOf([
    'availableReplicas',
    'currentReplicas',
    'readyReplicas',
    'replicas',
    'updatedReplicas',
  ]),
  health: (object) =>
    healthyIf(
      isObserved(object) &&
        count(object, 'updatedReplicas') >= replicasOf(object) &&
        count(object, 'availableReplicas') >= count(object, 'updatedReplicas'),
    ),
  /**
   * Excludes the claims that the StatefulSet creates from its templates, even if a pod names them.
   */
  dependencies: (object) => {
    const ownClaims = objectsIn(object, 'spec', 'volumeClaimTemplates').map((claim) =>
      textIn(claim, 'metadata', 'name'),
    );
    return podTemplateAt(...POD_SPEC)
      .dependencies(object)
      .filter(
        ({ kind, name = '' }) => kind !== 'PersistentVolumeClaim' || !ownClaims.includes(name),
      );
  },
};

export const daemonSet: KindInterpreter = {
  apiVersion,
  kind: 'DaemonSet',
  ...podTemplateAt(...POD_SPEC),
  ...sumsOf([
    'currentNumberScheduled',
    'desiredNumberScheduled',
    'numberAvailable',
    'numberMisscheduled',
    'numberReady',
    'updatedNumberScheduled',
    'numberUnavailable',
  ]),
  health: (object) =>
    healthyIf(
      isObserved(object) &&
        count(object, 'updatedNumberScheduled') >= count(object, 'desiredNumberScheduled') &&
        count(object, 'numberAvailable') >= count(object, 'updatedNumberScheduled'),
    ),
};
