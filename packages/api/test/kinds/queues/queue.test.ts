import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { admit } from '../../../src/kind/admit.ts';
import { Queue } from '../../../src/kinds/queues/queue.ts';
import { refusedFields } from '../admission.ts';

const queue = (spec: string, metadata = 'name: research') =>
  parse(`
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {${metadata}}
${spec === '' ? '' : `spec: {${spec}}`}
`);

const errorsOf = (spec: string, metadata?: string): readonly string[] =>
  refusedFields(Queue, queue(spec, metadata));

const DEFAULTS = { weight: 1, dequeueStrategy: 'traverse', reclaimable: true };

describe('a Queue', () => {
  it('needs nothing but a name', () => {
    assert.deepEqual(admit(Queue, queue('')).object.spec, DEFAULTS);
  });

  it('takes a weight of 0 and an empty parent as none', () => {
    assert.deepEqual(admit(Queue, queue('weight: 0')).object.spec, DEFAULTS);
    assert.deepEqual(admit(Queue, queue('parent: ""')).object.spec, DEFAULTS);
  });

  it('has every field of Volcano', () => {
    const input = parse(`
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec:
  weight: 4
  priority: 100
  dequeueStrategy: fifo
  parent: science
  reclaimable: false
  type: batch
  guarantee: {resource: {cpu: 2, memory: 4Gi}}
  deserved: {cpu: 4, memory: 8Gi, nvidia.com/gpu: 1}
  capability: {cpu: "8", nvidia.com/gpu: "2", ephemeral-storage: 1Ti}
  extendClusters:
    - {name: member1, weight: 1, capacity: {cpu: 10}}
  affinity:
    nodeGroupAffinity:
      requiredDuringSchedulingIgnoredDuringExecution: [gpu]
      preferredDuringSchedulingIgnoredDuringExecution: [new]
    nodeGroupAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution: [web]
status:
  state: Closing
  unknown: 0
  pending: 1
  running: 2
  inqueue: 3
  completed: 4
  reservation: {nodes: [n1], resource: {cpu: 500m}}
  allocated: {cpu: 3500m, pods: 7}
`);
    const { spec, status } = admit(Queue, input).object;
    assert.deepEqual({ spec, status }, { spec: input.spec, status: input.status });
  });
});

describe('the amounts of a Queue', () => {
  const accepted = [
    'guarantee: {resource: {cpu: 1}}, deserved: {cpu: 1000m}, capability: {cpu: 1}',
    'deserved: {memory: 8Gi}, capability: {cpu: 1}',
    'guarantee: {}, capability: {}',
    'capability: {cpu: 0}',
    'capability: {memory: 1e3, cpu: 0.5e1}',
    'capability: {nvidia.com/gpu: 3, requests.storage: 1500m, example.kubernetes.io/x: 5m}',
  ];
  for (const spec of accepted) {
    it(`may be ${spec}`, () => assert.deepEqual(errorsOf(spec), []));
  }

  const refused: readonly (readonly [string, string])[] = [
    ['guarantee: {resource: {cpu: 1}}', 'spec.deserved FieldValueInvalid'],
    [
      'guarantee: {resource: {cpu: 1, memory: 1Gi}}, deserved: {cpu: 1}',
      'spec.deserved FieldValueInvalid',
    ],
    [
      'guarantee: {resource: {memory: 3Gi}}, deserved: {memory: 1Gi}',
      'spec.deserved FieldValueInvalid',
    ],
    ['deserved: {cpu: 2}, capability: {cpu: 1}', 'spec.capability FieldValueInvalid'],
    ['deserved: {cpu: 1001m}, capability: {cpu: "1"}', 'spec.capability FieldValueInvalid'],
    ['capability: {cpu: -1}', 'spec.capability[cpu] FieldValueInvalid'],
    ['deserved: {memory: -1Gi}', 'spec.deserved[memory] FieldValueInvalid'],
    ['capability: {nvidia.com/gpu: 500m}', 'spec.capability FieldValueInvalid'],
    ['capability: {pods: 1500m}', 'spec.capability FieldValueInvalid'],
  ];
  for (const [spec, error] of refused) {
    it(`may not be ${spec}`, () => assert.deepEqual(errorsOf(spec), [error]));
  }

  it('must be amounts', () => {
    assert.ok(
      errorsOf('capability: {cpu: many}').includes('spec.capability.cpu FieldValueInvalid'),
    );
  });
});

describe('a Queue is refused', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['as its own parent', 'parent: research', 'spec.parent FieldValueInvalid'],
    ['with a parent that cannot exist', 'parent: Science', 'spec.parent FieldValueInvalid'],
    ['with too much weight', 'weight: 65536', 'spec.weight FieldValueInvalid'],
    ['with a negative weight', 'weight: -1', 'spec.weight FieldValueInvalid'],
    ['with a negative priority', 'priority: -1', 'spec.priority FieldValueInvalid'],
    [
      'with an unknown strategy',
      'dequeueStrategy: lifo',
      'spec.dequeueStrategy FieldValueNotSupported',
    ],
  ];
  for (const [why, spec, error] of cases) {
    it(why, () => assert.deepEqual(errorsOf(spec), [error]));
  }
});

describe('the hierarchy that a Queue says in annotations', () => {
  const annotated = (path: string, weights: string) =>
    `name: eng, annotations: {volcano.sh/hierarchy: "${path}", volcano.sh/hierarchy-weights: "${weights}"}`;
  const annotationsOf = (path: string, weights: string) => {
    const annotations = admit(Queue, queue('', annotated(path, weights))).object.metadata
      .annotations;
    return [annotations?.['volcano.sh/hierarchy'], annotations?.['volcano.sh/hierarchy-weights']];
  };

  it('is kept when it begins at the root', () => {
    assert.deepEqual(annotationsOf('root/eng/prod', '1/2/8'), ['root/eng/prod', '1/2/8']);
  });

  it('begins at the root otherwise too', () => {
    assert.deepEqual(annotationsOf('eng/prod', '2/8.5'), ['root/eng/prod', '1/2/8.5']);
    assert.deepEqual(annotationsOf('rooted', '2'), ['root/rooted', '1/2']);
  });

  for (const [path, weights] of [
    ['root/eng', '1'],
    ['root/eng', ''],
    ['', '1/2'],
    ['root/eng', '1/zero'],
    ['root/eng', '1/0'],
    ['root/eng', '1/-2'],
  ] as const) {
    it(`is refused as ${path || 'nothing'} with ${weights || 'no'} weights`, () => {
      assert.deepEqual(errorsOf('', annotated(path, weights)), [
        'metadata.annotations[volcano.sh/hierarchy-weights] FieldValueInvalid',
      ]);
    });
  }
});
