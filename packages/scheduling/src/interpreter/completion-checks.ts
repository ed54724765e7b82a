import type { JsonObject } from '@perigee/schema/json';
import { objectIn, objectsIn, textIn } from './fields.ts';

type FinishTest = (status: JsonObject) => boolean;

const byCondition =
  (...types: readonly string[]): FinishTest =>
  (status) =>
    objectsIn(status, 'conditions').some(
      (condition) => types.includes(textIn(condition, 'type')) && condition.status === 'True',
    );

const byWord =
  (path: readonly string[], ...words: readonly string[]): FinishTest =>
  (status) =>
    words.includes(textIn(status, ...path));

const byTraining = byCondition('Succeeded', 'Failed');

/** Completion checks of workloads that run to completion, by `group/Kind`. */
const FINISHED: ReadonlyMap<string, FinishTest> = new Map([
  ['/Pod', byWord(['phase'], 'Succeeded', 'Failed')],
  ['batch/Job', byCondition('Complete', 'Failed')],
  ['batch.volcano.sh/Job', byWord(['state', 'phase'], 'Completed', 'Terminated', 'Failed')],
  ['kubeflow.org/PyTorchJob', byTraining],
  ['kubeflow.org/TFJob', byTraining],
  ['kubeflow.org/MPIJob', byTraining],
  ['ray.io/RayJob', byWord(['jobStatus'], 'SUCCEEDED', 'FAILED', 'STOPPED')],
  [
    'sparkoperator.k8s.io/SparkApplication',
    byWord(['applicationState', 'state'], 'COMPLETED', 'FAILED'),
  ],
  ['argoproj.io/Workflow', byWord(['phase'], 'Succeeded', 'Failed', 'Error')],
]);

interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
}

const keyOf = ({ apiVersion, kind }: KindReference): string =>
  `${apiVersion.split('/').toReversed()[1] ?? ''}/${kind}`;

/** True if this kind runs to completion, so that moving it would restart it. */
export const runsToCompletion = (resource: KindReference): boolean => FINISHED.has(keyOf(resource));

/** True if the status shows completion; always false for kinds that run forever. */
export const isFinished = (resource: KindReference, status: unknown): boolean =>
  FINISHED.get(keyOf(resource))?.(objectIn({ status } as JsonObject, 'status')) ?? false;
