import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidObjectError } from '@perigee/schema/errors';
import { parse } from 'yaml';
import { admit } from '../../../src/kind/admit.ts';
import { Job } from '../../../src/kinds/groups/job.ts';

const TRAIN = `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: shop}
spec:
  queue: research
  minAvailable: 2
  priorityClassName: low
  policies: [{event: PodFailed, action: RestartJob}]
  plugins: {env: []}
  volumes:
    - {mountPath: /in, volumeClaimName: input}
    - {mountPath: /out, volumeClaim: {accessModes: [ReadWriteOnce]}}
  tasks:
    - name: ps
      replicas: 2
      template: {spec: {containers: [{name: main, image: tf:1, ports: [{containerPort: 80}]}]}}
    - replicas: 4
      dependsOn: {name: [ps]}
      template: {spec: {containers: [{name: main, image: tf:1}]}}
`;

/** Without the note that rules were not checked, which is about no field. */
const errorsAfter = (...changes: readonly (readonly [string, string])[]): readonly string[] => {
  const old = admit(Job, parse(TRAIN)).object;
  let text = TRAIN;
  for (const [from, to] of changes) {
    assert.ok(text.includes(from), `the job has no ${from}`);
    text = text.replace(from, to);
  }
  try {
    admit(Job, parse(text), { old });
    return [];
  } catch (error) {
    if (error instanceof InvalidObjectError) {
      return error.errors
        .filter(({ field }) => field !== '<nil>')
        .map(({ field, reason }) => `${field} ${reason}`);
    }
    throw error;
  }
};

describe('an update of a Job', () => {
  it('may change nothing, however much was filled in', () => {
    assert.deepEqual(errorsAfter(), []);
  });

  it('may be written by a program in Go, which says the same in other words', () => {
    assert.deepEqual(
      errorsAfter(
        [
          'image: tf:1, ports: [{containerPort: 80}]',
          'image: tf:1, ports: [{containerPort: 80, protocol: TCP}], resources: {}',
        ],
        ['dependsOn: {name: [ps]}', 'dependsOn: {name: [ps]}\n      policies: []'],
        [
          'template: {spec: {containers: [{name: main, image: tf:1}]',
          'template: {metadata: {creationTimestamp: null}, spec: {nodeSelector: {}, volumes: [], containers: [{name: main, image: tf:1}]',
        ],
      ),
      [],
    );
  });

  it('may write the same amounts in another way, and no others', () => {
    const written = { cpu: 1, memory: '1024Mi' };
    const jobWith = (limits: object) => ({
      metadata: { name: 'train', namespace: 'shop' },
      spec: {
        tasks: [
          {
            name: 'main',
            template: {
              spec: { containers: [{ name: 'main', image: 'tf:1', resources: { limits } }] },
            },
          },
        ],
      },
    });
    const old = admit(Job, jobWith(written)).object;
    const same = admit(Job, jobWith({ cpu: '1000m', memory: '1Gi' }), { old }).object;
    assert.deepEqual(same, old);
    assert.throws(
      () => admit(Job, jobWith({ cpu: 2, memory: '1Gi' }), { old }),
      InvalidObjectError,
    );
  });

  it('may not take away a plugin or a volume that has no settings', () => {
    assert.deepEqual(errorsAfter(['plugins: {env: []}', 'plugins: {}']), [
      'spec.plugins FieldValueInvalid',
    ]);
    const jobWith = (volume: object) => ({
      metadata: { name: 'train', namespace: 'shop' },
      spec: {
        tasks: [
          {
            template: {
              spec: { volumes: [volume], containers: [{ name: 'main', image: 'tf:1' }] },
            },
          },
        ],
      },
    });
    const old = admit(Job, jobWith({ name: 'cache', emptyDir: {} })).object;
    assert.throws(() => admit(Job, jobWith({ name: 'cache' }), { old }), InvalidObjectError);
  });

  it('may change how many pods there are, how many are needed, and the priority', () => {
    const changes = [
      ['replicas: 4', 'replicas: 3\n      minAvailable: 1'],
      ['minAvailable: 2', 'minAvailable: 3'],
      ['priorityClassName: low', 'priorityClassName: high'],
    ] as const;
    assert.deepEqual(errorsAfter(...changes), []);
    assert.deepEqual(errorsAfter(['  priorityClassName: low\n', '']), []);
  });

  it('may name the claim that was made for a volume', () => {
    assert.deepEqual(
      errorsAfter(['mountPath: /out,', 'mountPath: /out, volumeClaimName: train-out,']),
      [],
    );
  });

  it('must leave enough pods for what is needed', () => {
    const changes = [
      ['replicas: 2', 'replicas: 0'],
      ['replicas: 4', 'replicas: 1'],
    ] as const;
    assert.deepEqual(errorsAfter(...changes), ['spec.minAvailable FieldValueInvalid']);
  });

  const refused: readonly (readonly [string, readonly [string, string], string])[] = [
    ['the queue', ['research', 'default'], 'spec.queue FieldValueInvalid'],
    [
      'the scheduler',
      ['queue:', 'schedulerName: other\n  queue:'],
      'spec.schedulerName FieldValueInvalid',
    ],
    ['the retries', ['queue:', 'maxRetry: 9\n  queue:'], 'spec.maxRetry FieldValueInvalid'],
    ['a policy', ['RestartJob', 'AbortJob'], 'spec.policies FieldValueInvalid'],
    ['the plugins', ['{env: []}', '{svc: []}'], 'spec.plugins FieldValueInvalid'],
    ['whether there are plugins', ['  plugins: {env: []}\n', ''], 'spec FieldValueForbidden'],
    [
      'whether it is kept',
      ['queue:', 'ttlSecondsAfterFinished: 1\n  queue:'],
      'spec FieldValueForbidden',
    ],
    ['an image', ['tf:1', 'tf:2'], 'spec.tasks[0].template FieldValueInvalid'],
    [
      'the retries of a task',
      ['replicas: 4', 'replicas: 4\n      maxRetry: 9'],
      'spec.tasks[1].maxRetry FieldValueInvalid',
    ],
    [
      'whether a task has to wait',
      ['      dependsOn: {name: [ps]}\n', ''],
      'spec.tasks[1] FieldValueForbidden',
    ],
    [
      'the claim of a volume',
      ['volumeClaimName: input', 'volumeClaimName: other'],
      'spec.volumes[0] FieldValueForbidden',
    ],
    [
      'what a volume is made from',
      ['ReadWriteOnce', 'ReadWriteMany'],
      'spec.volumes[1] FieldValueForbidden',
    ],
    [
      'where a volume is',
      ['mountPath: /in', 'mountPath: /data'],
      'spec.volumes FieldValueForbidden',
    ],
    [
      'the name of a task',
      ['replicas: 4', 'replicas: 4\n      name: worker'],
      'spec.tasks FieldValueForbidden',
    ],
  ];
  for (const [what, change, error] of refused) {
    it(`may not change ${what}`, () => assert.deepEqual(errorsAfter(change), [error]));
  }
});
