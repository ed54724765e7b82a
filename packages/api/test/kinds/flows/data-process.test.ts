import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { DataProcess } from '../../../src/kinds/flows/data-process.ts';
import { assertRefused, stored } from '../admission.ts';

const process = (spec: object) => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataProcess',
  metadata: { name: 'process', namespace: 'default' },
  spec,
});

const withScript = parse(`
dataset: { name: demo, namespace: default, mountPath: /data, subPath: part }
processor:
  serviceAccountName: worker
  podMetadata: { labels: { team: data }, annotations: { note: run } }
  script:
    image: registry.example.org:5000/python
    imageTag: "3.13"
    imagePullPolicy: IfNotPresent
    restartPolicy: OnFailure
    command: [bash]
    source: |
      set -ex
      du -sh /data
    env: [{ name: LEVEL, value: debug }]
    volumes: [{ name: code, configMap: { name: code } }]
    volumeMounts: [{ name: code, mountPath: /code }]
    resources: { requests: { cpu: 500m } }
policy: Cron
schedule: "@daily"
ttlSecondsAfterFinished: 86400
`);

const withJob = parse(`
dataset: { name: demo, namespace: default, mountPath: "" }
processor:
  job:
    podSpec:
      restartPolicy: OnFailure
      initContainers: [{ name: prepare, image: "alpine:3" }]
      containers:
        - name: train
          image: trainer:1
          securityContext: { runAsUser: 1000 }
          volumeMounts: [{ name: code, mountPath: /data }]
      volumes: [{ name: code, nfs: { server: nas, path: /code } }]
policy: Once
`);

test('a script is kept with every field that Fluid has', () => {
  assert.deepEqual(stored(DataProcess, process(withScript)).spec, withScript);
});

test('a job is kept with every field of a pod', () => {
  assert.deepEqual(stored(DataProcess, process(withJob)).spec, withJob);
});

test('a process runs once, on a dataset of its own namespace, and ends for good', () => {
  const spec = {
    dataset: { name: 'demo', mountPath: '/data' },
    processor: { job: { podSpec: { containers: [{ name: 'a', image: 'b' }] } } },
  };
  assert.deepEqual(stored(DataProcess, process(spec)).spec, {
    dataset: { name: 'demo', namespace: 'default', mountPath: '/data' },
    processor: {
      job: { podSpec: { containers: [{ name: 'a', image: 'b' }], restartPolicy: 'Never' } },
    },
    policy: 'Once',
  });
});

const dataset = { name: 'demo', mountPath: '/data' };
const script = { source: 'ls' };
const mounts = (mountPath: string) => ({ volumeMounts: [{ name: 'code', mountPath }] });
const container = (name: string, mountPath: string) => ({ name, image: 'a', ...mounts(mountPath) });
const pod = (podSpec: object) => ({ dataset, processor: { job: { podSpec } } });

const refused: readonly (readonly [string, object, string, RegExp])[] = [
  ['no processor', { dataset }, 'spec.processor', /Required/],
  [
    'a processor that does nothing',
    { dataset, processor: { serviceAccountName: 'a' } },
    'spec.processor',
    /exactly one of job and script/,
  ],
  [
    'two processors',
    {
      dataset,
      processor: { script, job: { podSpec: { containers: [{ name: 'a', image: 'b' }] } } },
    },
    'spec.processor',
    /exactly one of job and script/,
  ],
  [
    'a dataset that is not said where to mount',
    { dataset: { name: 'demo' }, processor: { script } },
    'spec.dataset.mountPath',
    /Required/,
  ],
  [
    'a dataset of another namespace',
    { dataset: { ...dataset, namespace: 'other' }, processor: { script } },
    'spec.dataset.namespace',
    /namespace of the operation/,
  ],
  [
    'a script without text',
    { dataset, processor: { script: {} } },
    'spec.processor.script.source',
    /Required/,
  ],
  [
    'a job without a pod',
    { dataset, processor: { job: {} } },
    'spec.processor.job.podSpec',
    /Required/,
  ],
  [
    'a script that never ends',
    { dataset, processor: { script: { ...script, restartPolicy: 'Always' } } },
    'spec.processor.script.restartPolicy',
    /OnFailure/,
  ],
  [
    'a job that never ends',
    pod({ restartPolicy: 'Always', containers: [{ name: 'a', image: 'b' }] }),
    'spec.processor.job.podSpec.restartPolicy',
    /Never or OnFailure/,
  ],
  [
    'a script with something else where the dataset is',
    { dataset, processor: { script: { ...script, ...mounts('/data') } } },
    'spec.processor.script.volumeMounts[0].mountPath',
    /where the dataset is mounted/,
  ],
  [
    'the same with a slash at the end',
    { dataset, processor: { script: { ...script, ...mounts('/data/') } } },
    'spec.processor.script.volumeMounts[0].mountPath',
    /where the dataset is mounted/,
  ],
  [
    'a container with something else where the dataset is',
    pod({ containers: [container('a', '/other'), container('b', '/data')] }),
    'spec.processor.job.podSpec.containers[1].volumeMounts[0].mountPath',
    /where the dataset is mounted/,
  ],
  [
    'an init container with something else where the dataset is',
    pod({ initContainers: [container('a', '/data')], containers: [container('b', '/other')] }),
    'spec.processor.job.podSpec.initContainers[0].volumeMounts[0].mountPath',
    /where the dataset is mounted/,
  ],
  [
    'a cron without a schedule',
    { dataset, processor: { script }, policy: 'Cron' },
    'spec.schedule',
    /needs a schedule/,
  ],
];

for (const [what, spec, field, message] of refused) {
  test(`refused: ${what}`, () => {
    assertRefused(DataProcess, process(spec), { field, message });
  });
}

test('a process keeps its dataset', () => {
  const old = stored(DataProcess, process({ dataset, processor: { script } }));
  const other = process({ dataset: { ...dataset, name: 'other' }, processor: { script } });
  const expected = { field: 'spec.dataset.name', message: /create a new one/ };
  assertRefused(DataProcess, other, expected, old);
});

test('what a DataProcess produces is a Dataset or a DataSource, and not both', () => {
  const process = (produces: readonly object[]) => ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataProcess',
    metadata: { name: 'convert', namespace: 'default' },
    spec: {
      dataset: { name: 'models', mountPath: '/data' },
      processor: { script: { source: 'ls' } },
      produces,
    },
  });
  const dataSource = { system: 'hub', type: 'model', dataName: 'llm', attributes: { bits: '4' } };
  const produces = [{ dataset: { name: 'converted', path: 'out' } }, { dataSource, path: 'out' }];
  assert.deepEqual(stored(DataProcess, process(produces)).spec.produces, produces);
  for (const wrong of [{}, { dataset: { name: 'converted' }, dataSource }])
    assertRefused(DataProcess, process([wrong]), { field: 'spec.produces[0]' });
  const out = 'spec.produces[0]';
  const refusals = [
    [{ dataset: { name: 'Upper' } }, `${out}.dataset.name`, /lower-case/],
    [{ dataset: { name: 'x', path: 'a/../../b' } }, `${out}.dataset.path`, /not lead out/],
    [{ dataSource, path: '..' }, `${out}.path`, /not lead out/],
    [{ dataSource: { ...dataSource, name: 'a_b' } }, `${out}.dataSource.name`, /lower-case/],
    [
      { dataSource: { ...dataSource, name: 'fluid-dataset.other.raw' } },
      `${out}.dataSource.name`,
      /those of Datasets/,
    ],
  ] as const;
  for (const [wrong, field, message] of refusals)
    assertRefused(DataProcess, process([wrong]), { field, message });
});
