import type { Component } from '@perigee/api/kinds/placement/replica-requirements';
import type { JsonObject } from '@perigee/schema/json';
import { objectIn, objectsIn, textIn } from '../fields.ts';
import type { KindInterpreter } from '../interpreter.ts';
import { componentOf, dependenciesOf, numberOr } from './components.ts';
import { hasCondition, jointStatus } from './joint-status.ts';

const apiVersion = 'ray.io/v1';

const templatesOf = (cluster: JsonObject): readonly JsonObject[] => [
  objectIn(cluster, 'headGroupSpec', 'template'),
  ...objectsIn(cluster, 'workerGroupSpecs').map((group) => objectIn(group, 'template')),
];

/** The head, and each group of workers. */
const partsOf = (cluster: JsonObject): readonly Component[] => [
  ...(cluster.headGroupSpec === undefined
    ? []
    : [componentOf('ray-head', 1, objectIn(cluster, 'headGroupSpec', 'template'))]),
  ...objectsIn(cluster, 'workerGroupSpecs').map((group, index) =>
    componentOf(
      textIn(group, 'groupName') || `worker-${index + 1}`,
      numberOr(group.replicas, 0),
      objectIn(group, 'template'),
    ),
  ),
];

const inCluster = (
  ...path: readonly string[]
): Pick<KindInterpreter, 'components' | 'dependencies'> => ({
  components: (object) => partsOf(objectIn(object, ...path)),
  dependencies: (object) => dependenciesOf(object, templatesOf(objectIn(object, ...path))),
});

export const rayCluster: KindInterpreter = {
  apiVersion,
  kind: 'RayCluster',
  ...inCluster('spec'),
  health: (object) => {
    const status = objectIn(object, 'status');
    const isUp =
      hasCondition(status, 'HeadPodReady') && hasCondition(status, 'RayClusterProvisioned');
    return isUp && !hasCondition(status, 'RayClusterReplicaFailure') ? 'Healthy' : 'Unhealthy';
  },
  aggregate: jointStatus({
    read: (status) => textIn(status, 'state'),
    order: ['ready', 'suspended', 'unhealthy', 'failed'],
  }),
};

export const rayJob: KindInterpreter = {
  apiVersion,
  kind: 'RayJob',
  ...inCluster('spec', 'rayClusterSpec'),
  health: (object) => {
    const deploymentStatus = textIn(object, 'status', 'jobDeploymentStatus');
    const isDone =
      deploymentStatus === 'Complete' && textIn(object, 'status', 'jobStatus') === 'SUCCEEDED';
    return deploymentStatus === 'Running' || isDone ? 'Healthy' : 'Unhealthy';
  },
  aggregate: jointStatus({
    read: (status) => textIn(status, 'jobDeploymentStatus'),
    order: [
      'Complete',
      'Initializing',
      'Waiting',
      'Running',
      'Suspending',
      'Suspended',
      'Retrying',
      'ValidationFailed',
      'Failed',
    ],
  }),
};

export const rayService: KindInterpreter = {
  apiVersion,
  kind: 'RayService',
  ...inCluster('spec', 'rayClusterConfig'),
  health: (object) => (hasCondition(objectIn(object, 'status'), 'Ready') ? 'Healthy' : 'Unhealthy'),
  aggregate: jointStatus({
    read: (status) => textIn(status, 'serviceStatus'),
    order: ['Running', 'WaitForServeDeploymentReady', 'Restarting', 'FailedToUpdateService'],
  }),
};
