import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { Job } from '../../../src/kinds/groups/job.ts';
import { refusedFields } from '../admission.ts';

const pod = (fields: string) => `template: {spec: {containers: [{name: a, image: b}]${fields}}}`;

const job = (task: string) =>
  parse(`
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: sum, namespace: shop}
spec: {tasks: [${task}]}
`);

const errorsOf = (task: string): readonly string[] => refusedFields(Job, job(task));

describe('the pods of a Job', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['{name: t}', 'spec.tasks[0].template FieldValueRequired'],
    [
      '{template: {spec: {containers: []}}}',
      'spec.tasks[0].template.spec.containers FieldValueInvalid',
    ],
    [
      '{template: {spec: {containers: [{name: a}]}}}',
      'spec.tasks[0].template.spec.containers[0].image FieldValueRequired',
    ],
    [
      '{template: {spec: {containers: [{image: a}]}}}',
      'spec.tasks[0].template.spec.containers[0].name FieldValueRequired',
    ],
    [
      '{template: {spec: {containers: [{name: a, image: b}, {name: a, image: c}]}}}',
      'spec.tasks[0].template.spec.containers[1] FieldValueDuplicate',
    ],
    [
      '{template: {spec: {containers: [{name: a, image: b, env: [{name: A, value: 1}]}]}}}',
      'spec.tasks[0].template.spec.containers[0].env[0].value FieldValueTypeInvalid',
    ],
    [
      '{template: {spec: {containers: [{name: a, image: b, resources: {requests: {cpu: lots}}}]}}}',
      'spec.tasks[0].template.spec.containers[0].resources.requests.cpu FieldValueInvalid',
    ],
    [
      '{template: {spec: {containers: [{name: a, image: b, ports: [{containerPort: 0}]}]}}}',
      'spec.tasks[0].template.spec.containers[0].ports[0].containerPort FieldValueInvalid',
    ],
    [
      `{${pod(', restartPolicy: Sometimes')}}`,
      'spec.tasks[0].template.spec.restartPolicy FieldValueNotSupported',
    ],
    [
      `{${pod(', tolerations: [{effect: Never}]')}}`,
      'spec.tasks[0].template.spec.tolerations[0].effect FieldValueNotSupported',
    ],
    [
      `{${pod(', affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}')}}`,
      'spec.tasks[0].template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms FieldValueInvalid',
    ],
    [
      `{${pod(', volumes: [{name: v, persistentVolumeClaim: {}}]')}}`,
      'spec.tasks[0].template.spec.volumes[0].persistentVolumeClaim.claimName FieldValueRequired',
    ],
  ];
  for (const [task, error] of refused) {
    it(`may not be ${task}`, () => assert.deepEqual(errorsOf(task), [error]));
  }
});
