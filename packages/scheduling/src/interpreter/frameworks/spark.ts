import type { Component } from '@perigee/api/kinds/placement/replica-requirements';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { objectIn, textIn } from '../fields.ts';
import type { KindInterpreter } from '../interpreter.ts';
import { podRequirements } from '../pod-requirements.ts';
import { numberOr } from './components.ts';
import { javaMebibytes } from './java-memory.ts';
import { jointStatus } from './joint-status.ts';

const LEAST_OVERHEAD_MI = 384;
const JVM_OVERHEAD = 0.1;
const OTHER_OVERHEAD = 0.4;

/** The memory of a pod: JVM heap plus overhead. */
const memoryOf = (part: JsonObject, factor: number): string => {
  const heap = javaMebibytes(textIn(part, 'memory') || '1g') ?? 1024;
  const statedOverhead = javaMebibytes(textIn(part, 'memoryOverhead'));
  const overhead = statedOverhead ?? Math.max(heap * factor, LEAST_OVERHEAD_MI);
  return `${Math.ceil(heap + overhead)}Mi`;
};

const partOf = (name: string, replicas: number, part: JsonObject, factor: number): Component => {
  const gpu = objectIn(part, 'gpu');
  const gpus = numberOr(gpu.quantity, 0);
  const requirements = podRequirements(part);
  return {
    name,
    replicas,
    replicaRequirements: {
      ...present({ nodeClaim: requirements?.nodeClaim }),
      resourceRequest: {
        cpu: String(numberOr(part.cores, 1)),
        memory: memoryOf(part, factor),
        ...(textIn(gpu, 'name') !== '' && gpus > 0 ? { [textIn(gpu, 'name')]: String(gpus) } : {}),
      },
    },
  };
};

/** With dynamic allocation, the number of executors at start. */
const executorsOf = (spec: JsonObject): number => {
  const instances = numberOr(objectIn(spec, 'executor').instances, 1);
  const dynamic = objectIn(spec, 'dynamicAllocation');
  if (dynamic.enabled !== true) return instances;
  return Math.max(
    instances,
    numberOr(dynamic.initialExecutors, 1),
    numberOr(dynamic.minExecutors, 1),
  );
};

/** A SparkApplication: one driver, and its executors. */
export const sparkApplication: KindInterpreter = {
  apiVersion: 'sparkoperator.k8s.io/v1beta2',
  kind: 'SparkApplication',
  components: (object) => {
    const spec = objectIn(object, 'spec');
    const isJvm = ['java', 'scala'].includes(textIn(spec, 'type').toLowerCase());
    const usual = isJvm ? JVM_OVERHEAD : OTHER_OVERHEAD;
    const factor = numberOr(spec.memoryOverheadFactor, usual);
    return [
      partOf('driver', 1, objectIn(spec, 'driver'), factor),
      partOf('executor', executorsOf(spec), objectIn(spec, 'executor'), factor),
    ];
  },
  health: (object) => {
    const state = textIn(object, 'status', 'applicationState', 'state');
    return state === '' || state === 'FAILED' ? 'Unhealthy' : 'Healthy';
  },
  aggregate: jointStatus({
    read: (status) => textIn(status, 'applicationState', 'state'),
    order: [
      'SUBMITTED',
      'PENDING_RERUN',
      'COMPLETED',
      'SUSPENDING',
      'SUSPENDED',
      'RUNNING',
      'RESUMING',
      'SUCCEEDING',
      'INVALIDATING',
      'FAILING',
      'FAILED',
      'SUBMISSION_FAILED',
    ],
  }),
};
