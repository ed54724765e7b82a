import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { Job } from '../../../src/kinds/groups/job.ts';
import { refusedFields } from '../admission.ts';

const POD = 'template: {spec: {containers: [{name: a, image: b}]}}';

const job = (spec: string, name = 'sum') =>
  parse(`
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: ${name}, namespace: shop}
spec: {${spec}}
`);

const errorsOf = (spec: string, name?: string): readonly string[] =>
  refusedFields(Job, job(spec, name));

const oneTask = (fields: string) => `tasks: [{name: t, replicas: 4, ${POD}, ${fields}}]`;
const policies = (...items: readonly string[]) =>
  `policies: [${items.map((item) => `{${item}}`).join(', ')}], tasks: [{${POD}}]`;
const LONG = 'n'.repeat(50);

describe('a Job is refused', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['without tasks', 'tasks: []', ['spec.tasks FieldValueInvalid']],
    ['without a word about tasks', 'queue: default', ['spec.tasks FieldValueRequired']],
    [
      'with two tasks of one name',
      `tasks: [{name: t, ${POD}}, {name: t, ${POD}}]`,
      ['spec.tasks[1] FieldValueDuplicate'],
    ],
    [
      'with a number for the name of a task, which is not the same as none',
      `tasks: [{name: 0, ${POD}}]`,
      ['spec.tasks[0].name FieldValueTypeInvalid'],
    ],
    [
      'with a task name that no pod can have',
      `tasks: [{name: T_1, ${POD}}]`,
      ['spec.tasks[0].name FieldValueInvalid'],
    ],
    [
      'with fewer than no pods',
      `tasks: [{replicas: -1, ${POD}}]`,
      ['spec.tasks[0].replicas FieldValueInvalid'],
    ],
    [
      'when it needs more pods than it has',
      `minAvailable: 5, ${oneTask('')}`,
      ['spec.minAvailable FieldValueInvalid'],
    ],
    [
      'when it needs fewer than no pods',
      `minAvailable: -1, ${oneTask('')}`,
      ['spec.minAvailable FieldValueInvalid'],
    ],
    [
      'when a task needs more pods than it has',
      `minAvailable: 1, ${oneTask('minAvailable: 5')}`,
      ['spec.tasks[0].minAvailable FieldValueInvalid'],
    ],
    [
      'when no success is enough',
      `minSuccess: 0, ${oneTask('')}`,
      ['spec.minSuccess FieldValueInvalid'],
    ],
    [
      'when it may be retried less than never',
      `maxRetry: -1, ${oneTask('')}`,
      ['spec.maxRetry FieldValueInvalid'],
    ],
    [
      'when it should be gone before it is done',
      `ttlSecondsAfterFinished: -1, ${oneTask('')}`,
      ['spec.ttlSecondsAfterFinished FieldValueInvalid'],
    ],
    [
      'with an estimate that is no time',
      `runningEstimate: 1 day, ${oneTask('')}`,
      ['spec.runningEstimate FieldValueInvalid'],
    ],
    [
      'in a queue that cannot exist',
      `queue: My_Queue, ${oneTask('')}`,
      ['spec.queue FieldValueInvalid'],
    ],
    [
      'with a tier by number and by name',
      `networkTopology: {highestTierAllowed: 1, highestTierName: rack}, ${oneTask('')}`,
      ['spec.networkTopology.highestTierName FieldValueForbidden'],
    ],
    [
      'with parts that do not add up',
      oneTask('partitionPolicy: {totalPartitions: 3, partitionSize: 2}'),
      ['spec.tasks[0].replicas FieldValueInvalid'],
    ],
    [
      'with parts that do not add up to what is needed',
      oneTask(
        'minAvailable: 3, partitionPolicy: {totalPartitions: 2, partitionSize: 2, minPartitions: 1}',
      ),
      ['spec.tasks[0].minAvailable FieldValueInvalid'],
    ],
    [
      'with an unknown topology policy',
      oneTask('topologyPolicy: close'),
      ['spec.tasks[0].topologyPolicy FieldValueNotSupported'],
    ],
    [
      'with a topology policy but parts of cores',
      `tasks: [{topologyPolicy: restricted, template: {spec: {containers: [
        {name: a, image: b, resources: {requests: {cpu: 1500m}}},
        {name: c, image: b, resources: {requests: {memory: 1Gi}, limits: {cpu: 1}}},
        {name: d, image: b, resources: {limits: {cpu: 2}}}]}}}]`,
      [
        'spec.tasks[0].template.spec.containers[0].resources.requests[cpu] FieldValueInvalid',
        'spec.tasks[0].template.spec.containers[1].resources.requests[cpu] FieldValueRequired',
      ],
    ],
    [
      'with an mpi master that is no task',
      `plugins: {mpi: [--master=boss]}, ${oneTask('')}`,
      ['spec.plugins[mpi] FieldValueRequired'],
    ],
  ];
  for (const [why, spec, errors] of cases) {
    it(why, () => assert.deepEqual(errorsOf(spec), errors));
  }

  it('when its pods could not be named', () => {
    const spec = `tasks: [{name: t, ${POD}}, {name: ${LONG}, ${POD}}]`;
    assert.deepEqual(errorsOf(spec, 'sum-of-everything'), ['spec.tasks[1].name FieldValueInvalid']);
    assert.deepEqual(errorsOf(spec, 'sum'), []);
  });

  for (const args of ['[--master=t]', '[-master, t]', '[--worker=w, --master, t]']) {
    it(`not with its mpi master as ${args}`, () => {
      assert.deepEqual(errorsOf(`plugins: {mpi: ${args}}, ${oneTask('')}`), []);
    });
  }
});

describe('the policies of a Job', () => {
  const accepted: readonly string[] = [
    policies('event: "*", action: RestartJob'),
    policies('event: PodFailed, events: [PodFailed, PodEvicted], action: RestartJob'),
    policies('event: PodFailed, action: RestartPod', 'exitCode: 1, action: AbortJob'),
    policies('event: PodFailed, action: RestartPod, timeout: 1m30s'),
    `policies: [{event: PodFailed, action: RestartJob}], ${oneTask('policies: [{event: PodFailed, action: AbortJob}]')}`,
  ];
  for (const spec of accepted) {
    it(`may be ${spec.slice(0, 90)}`, () => assert.deepEqual(errorsOf(spec), []));
  }

  const refused: readonly (readonly [string, string])[] = [
    [policies('action: RestartJob'), 'spec.policies[0].event FieldValueRequired'],
    [policies('events: [], action: RestartJob'), 'spec.policies[0].event FieldValueRequired'],
    [policies('event: PodFailed'), 'spec.policies[0].action FieldValueRequired'],
    [
      policies('event: PodFailed, action: SyncJob'),
      'spec.policies[0].action FieldValueNotSupported',
    ],
    [
      policies('event: OutOfSync, action: RestartJob'),
      'spec.policies[0].event FieldValueNotSupported',
    ],
    [
      policies('events: [Nothing], action: RestartJob'),
      'spec.policies[0].events[0] FieldValueNotSupported',
    ],
    [policies('exitCode: 0, action: RestartJob'), 'spec.policies[0].exitCode FieldValueInvalid'],
    [
      policies('exitCode: 1, event: PodFailed, action: RestartJob'),
      'spec.policies[0].exitCode FieldValueForbidden',
    ],
    [
      policies('exitCode: 1, events: [PodFailed], action: RestartJob'),
      'spec.policies[0].exitCode FieldValueForbidden',
    ],
    [
      policies('event: PodFailed, action: RestartJob', 'event: PodFailed, action: AbortJob'),
      'spec.policies[1].event FieldValueDuplicate',
    ],
    [
      policies(
        'event: PodFailed, action: RestartJob',
        'events: [PodEvicted, PodFailed], action: AbortJob',
      ),
      'spec.policies[1].events FieldValueDuplicate',
    ],
    [
      policies('exitCode: 1, action: RestartJob', 'exitCode: 1, action: AbortJob'),
      'spec.policies[1].exitCode FieldValueDuplicate',
    ],
    [
      policies('event: PodFailed, action: RestartJob', 'event: "*", action: AbortJob'),
      'spec.policies[1].event FieldValueInvalid',
    ],
    [
      policies('event: PodFailed, action: RestartJob, timeout: soon'),
      'spec.policies[0].timeout FieldValueInvalid',
    ],
    [
      policies('event: PodFailed, action: RestartJob, timeout: -1s'),
      'spec.policies[0].timeout FieldValueInvalid',
    ],
    [
      oneTask(
        'policies: [{event: PodFailed, action: RestartJob}, {event: PodFailed, action: AbortJob}]',
      ),
      'spec.tasks[0].policies[1].event FieldValueDuplicate',
    ],
  ];
  for (const [spec, error] of refused) {
    it(`may not be ${spec.slice(0, 90)}`, () => assert.deepEqual(errorsOf(spec), [error]));
  }
});

describe('the volumes of a Job', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['{mountPath: /in}', 'spec.volumes[0].volumeClaimName FieldValueRequired'],
    ['{mountPath: /in, volumeClaimName: ""}', 'spec.volumes[0].volumeClaimName FieldValueRequired'],
    ['{volumeClaimName: in}', 'spec.volumes[0].mountPath FieldValueRequired'],
    ['{mountPath: "a:b", volumeClaimName: in}', 'spec.volumes[0].mountPath FieldValueInvalid'],
    [
      '{mountPath: /in, volumeClaimName: in, volumeClaim: {accessModes: [ReadOnlyMany]}}',
      'spec.volumes[0].volumeClaimName FieldValueForbidden',
    ],
    [
      '{mountPath: /in, volumeClaimName: a}, {mountPath: /in, volumeClaimName: b}',
      'spec.volumes[1] FieldValueDuplicate',
    ],
  ];
  for (const [volumes, error] of refused) {
    it(`may not be ${volumes}`, () => {
      assert.deepEqual(errorsOf(`volumes: [${volumes}], ${oneTask('')}`), [error]);
    });
  }
});
