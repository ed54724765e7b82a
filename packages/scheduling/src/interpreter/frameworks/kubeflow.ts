import type { JsonObject } from '@perigee/schema/json';
import { objectIn } from '../fields.ts';
import type { KindInterpreter } from '../interpreter.ts';
import { podRequirements } from '../pod-requirements.ts';
import { componentOf, dependenciesOf, numberOr } from './components.ts';
import { hasCondition, jointStatus, lastCondition } from './joint-status.ts';

interface TrainingKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The field of the replica specs. */
  readonly field: string;
  /** The roles in order; others are ignored. */
  readonly roles: readonly string[];
  readonly nameOf?: (role: string) => string;
  readonly usual?: (role: string) => number;
}

/** Kubeflow training jobs: replicas by role, and a status of conditions. */
const training = ({
  apiVersion,
  kind,
  field,
  roles,
  nameOf = (role) => role.toLowerCase(),
  usual = () => 1,
}: TrainingKind): KindInterpreter => {
  const rolesOf = (object: JsonObject) => {
    const specs = objectIn(object, 'spec', field);
    return roles
      .filter((role) => specs[role] !== undefined)
      .map((role) => ({
        role,
        spec: objectIn(specs, role),
      }));
  };
  return {
    apiVersion,
    kind,
    components: (object) =>
      rolesOf(object).map(({ role, spec }) =>
        componentOf(nameOf(role), numberOr(spec.replicas, usual(role)), objectIn(spec, 'template')),
      ),
    health: (object) => {
      const status = objectIn(object, 'status');
      const isReported = Array.isArray(status.conditions) && status.conditions.length > 0;
      return isReported && !hasCondition(status, 'Failed') ? 'Healthy' : 'Unhealthy';
    },
    aggregate: jointStatus({
      read: lastCondition,
      order: ['Succeeded', 'Created', 'Running', 'Restarting', 'Suspended', 'Failed'],
    }),
    dependencies: (object) =>
      dependenciesOf(
        object,
        rolesOf(object).map(({ spec }) => objectIn(spec, 'template')),
      ),
  };
};

export const pyTorchJob = training({
  apiVersion: 'kubeflow.org/v1',
  kind: 'PyTorchJob',
  field: 'pytorchReplicaSpecs',
  roles: ['Master', 'Worker'],
});

export const tfJob = training({
  apiVersion: 'kubeflow.org/v1',
  kind: 'TFJob',
  field: 'tfReplicaSpecs',
  roles: ['PS', 'Worker', 'Chief', 'Master', 'Evaluator'],
});

/** An MPIJob defaults to a launcher and no workers. */
export const mpiJob = training({
  apiVersion: 'kubeflow.org/v2beta1',
  kind: 'MPIJob',
  field: 'mpiReplicaSpecs',
  roles: ['Launcher', 'Worker'],
  nameOf: (role) => role,
  usual: (role) => (role === 'Worker' ? 0 : 1),
});

/** A notebook is one pod. */
export const notebook: KindInterpreter = {
  apiVersion: 'kubeflow.org/v1',
  kind: 'Notebook',
  demand: (object) => {
    const requirements = podRequirements(objectIn(object, 'spec', 'template', 'spec'));
    return requirements === undefined ? { replicas: 1 } : { replicas: 1, requirements };
  },
  health: (object) => {
    const { running, waiting, terminated } = objectIn(object, 'status', 'containerState');
    if (running !== undefined) return 'Healthy';
    if (waiting !== undefined) {
      const { reason } = waiting as JsonObject;
      return reason === 'ContainerCreating' ? 'Healthy' : 'Unhealthy';
    }
    if (terminated === undefined) return 'Unhealthy';
    const { reason, exitCode = 0 } = terminated as JsonObject;
    const isBad = ['Error', 'OOMKilled', 'ContainerCannotRun'].includes(String(reason));
    return isBad || exitCode !== 0 ? 'Unhealthy' : 'Healthy';
  },
  dependencies: (object) => dependenciesOf(object, [objectIn(object, 'spec', 'template')]),
};
