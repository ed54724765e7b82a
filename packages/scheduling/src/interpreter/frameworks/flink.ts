import type { Component } from '@perigee/api/kinds/placement/replica-requirements';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { numberIn, objectIn, textIn } from '../fields.ts';
import type { KindInterpreter } from '../interpreter.ts';
import { podRequirements } from '../pod-requirements.ts';
import { numberOr } from './components.ts';
import { javaMebibytes } from './java-memory.ts';
import { jointStatus } from './joint-status.ts';

const flinkPart = (
  object: JsonObject,
  field: 'jobManager' | 'taskManager',
  replicas: number,
): Component => {
  const { cpu } = objectIn(object, 'spec', field, 'resource');
  const memory = javaMebibytes(textIn(object, 'spec', field, 'resource', 'memory'));
  const requirements = podRequirements(objectIn(object, 'spec', 'podTemplate', 'spec'));
  const request = present({
    cpu: cpu === undefined ? undefined : String(cpu),
    memory: memory === undefined ? undefined : `${Math.ceil(memory)}Mi`,
  });
  return {
    name: field.toLowerCase(),
    replicas,
    replicaRequirements: {
      ...present({ nodeClaim: requirements?.nodeClaim }),
      resourceRequest: request,
    },
  };
};

/** The number of task managers; by default as many as the parallelism needs. */
const taskManagersOf = (object: JsonObject): number => {
  const replicas = objectIn(object, 'spec', 'taskManager').replicas;
  if (replicas !== undefined) return numberOr(replicas, 1);
  const parallelism = numberIn(object, 'spec', 'job', 'parallelism');
  const settings = objectIn(object, 'spec', 'flinkConfiguration');
  const slots = numberOr(settings['taskmanager.numberOfTaskSlots'], 0);
  return parallelism === undefined || slots === 0 ? 1 : Math.ceil(parallelism / slots);
};

const SETTLED: readonly string[] = [
  'RUNNING',
  'FINISHED',
  'FAILED',
  'CANCELED',
  'SUSPENDED',
  'CANCELLING',
  'FAILING',
  'RESTARTING',
];

/** Errors of the user that another cluster would not fix. */
const MISTAKES = ['ErrImagePull', 'ImagePullBackOff', 'CrashLoopBackOff'];

/** A FlinkDeployment: job managers and task managers. */
export const flinkDeployment: KindInterpreter = {
  apiVersion: 'flink.apache.org/v1beta1',
  kind: 'FlinkDeployment',
  components: (object) => [
    flinkPart(object, 'jobManager', numberOr(objectIn(object, 'spec', 'jobManager').replicas, 1)),
    flinkPart(object, 'taskManager', taskManagersOf(object)),
  ],
  health: (object) => {
    const status = objectIn(object, 'status');
    const state = textIn(status, 'jobStatus', 'state');
    if (state === '') {
      const isReady = textIn(status, 'jobManagerDeploymentStatus') === 'READY';
      return isReady && textIn(status, 'lifecycleState') === 'STABLE' ? 'Healthy' : 'Unhealthy';
    }
    const isMistake = MISTAKES.some((one) => textIn(status, 'error').includes(one));
    return SETTLED.includes(state) || isMistake ? 'Healthy' : 'Unhealthy';
  },
  aggregate: jointStatus({
    read: (status) => textIn(status, 'jobStatus', 'state'),
    order: ['FINISHED', 'RUNNING', 'SUSPENDED', 'CANCELED', 'RECONCILING', 'FAILING', 'FAILED'],
  }),
};
