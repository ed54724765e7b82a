import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { DataProcess } from '../../../src/kinds/flows/data-process.ts';
import { assertRefused, stored } from '../admission.ts';

const head = `
apiVersion: data.fluid.io/v1alpha1
kind: DataProcess
metadata:
  name: sample-process
  namespace: default
spec:
  dataset:
    name: raw-data
    namespace: default
    mountPath: /data
    subPath: path/to/samples
  runAfter:
    operationKind: DataLoad
    name: raw-data-warmup
    namespace: default
`;

const shell = `
  processor:
    # shell script
    shell:
      scrip: |
        set -ex
        python3 /root/code/process_data.py --data-dir /data
    image: mycode/pypreprocess:latest
    serviceAccountName: mysa
`;

const podSpec = `
    template:
      spec:
        containers:
        - image: mycode/pypreprocess:latest
          imagePullPolicy: IfNotPresent
          name: sample-process
          command:
            - python3
            - /root/code/process_data.py
            - --data-path
            - /data
          volumeMounts:
            - mountPath: /root/code
              name: code
        volumes:
        - name: code
          persistentVolumeClaim:
            claimName: nas-pvc
`;

const job = `
  # kubernetes Job
  job:${podSpec}`;

const common = {
  dataset: {
    name: 'raw-data',
    namespace: 'default',
    mountPath: '/data',
    subPath: 'path/to/samples',
  },
  runAfter: { kind: 'DataLoad', name: 'raw-data-warmup', namespace: 'default' },
  policy: 'Once',
};

const asScript = {
  ...common,
  processor: {
    serviceAccountName: 'mysa',
    script: {
      image: 'mycode/pypreprocess',
      imageTag: 'latest',
      command: ['sh'],
      restartPolicy: 'Never',
      source: 'set -ex\npython3 /root/code/process_data.py --data-dir /data\n',
    },
  },
};

const asJob = {
  ...common,
  processor: {
    job: {
      podSpec: {
        restartPolicy: 'Never',
        containers: [
          {
            image: 'mycode/pypreprocess:latest',
            imagePullPolicy: 'IfNotPresent',
            name: 'sample-process',
            command: ['python3', '/root/code/process_data.py', '--data-path', '/data'],
            volumeMounts: [{ mountPath: '/root/code', name: 'code' }],
          },
        ],
        volumes: [{ name: 'code', persistentVolumeClaim: { claimName: 'nas-pvc' } }],
      },
    },
  },
};

const canonical = (spec: object) => ({ ...parse(head), spec });
test('the design’s example with its shell script runs that script in a shell', () => {
  assert.deepEqual(stored(DataProcess, parse(head + shell)).spec, asScript);
});

test('the script is found under its right name as well', () => {
  const yaml = (head + shell).replace('scrip:', 'script:');
  assert.deepEqual(stored(DataProcess, parse(yaml)).spec, asScript);
});

test('the design’s example with its job, where it is drawn, runs that job', () => {
  assert.deepEqual(stored(DataProcess, parse(head + job)).spec, asJob);
});

test('the job is found inside the processor as well', () => {
  const inside = parse(`job:${podSpec.replaceAll('\n    ', '\n  ')}`);
  const { runAfter, dataset } = common;
  const after = stored(DataProcess, canonical({ dataset, runAfter, processor: inside }));
  assert.deepEqual(after.spec, asJob);
});

test('the design’s example with both of its alternatives must choose one', () => {
  assertRefused(DataProcess, parse(head + shell + job), {
    field: 'spec.processor',
    message: /exactly one of job and script/,
  });
});

test('what is stored is admitted again as it is', () => {
  for (const spec of [asScript, asJob]) {
    assert.deepEqual(stored(DataProcess, canonical(spec)).spec, spec);
  }
});

test('the design’s spelling changes what is stored on an update', () => {
  const old = canonical(asScript);
  const edited = parse((head + shell).replace('--data-dir', '--dir').replace(':latest', ':v2'));
  const merged = {
    ...edited,
    spec: {
      ...edited.spec,
      processor: { ...asScript.processor, ...edited.spec.processor },
    },
  };
  const { script, ...processor } = asScript.processor;
  const source = script.source.replace('--data-dir', '--dir');
  assert.deepEqual(stored(DataProcess, merged, old).spec.processor, {
    ...processor,
    script: { ...script, imageTag: 'v2', source },
  });
});

test('the image alone changes on an update', () => {
  const old = canonical(asScript);
  const { processor } = asScript;
  const patched = canonical({ ...asScript, processor: { ...processor, image: 'other' } });
  const { imageTag: _old, ...script } = processor.script;
  assert.deepEqual(stored(DataProcess, patched, old).spec.processor, {
    ...processor,
    script: { ...script, image: 'other' },
  });
});

test('a shell keeps the command that it is given', () => {
  const processor = { shell: { script: 'ls', command: ['bash', '-e'] }, image: 'debian' };
  const after = stored(DataProcess, canonical({ ...common, processor }));
  assert.deepEqual(after.spec.processor, {
    script: { command: ['bash', '-e'], source: 'ls', image: 'debian', restartPolicy: 'Never' },
  });
});

test('a script without a command is left to the entry point of its image', () => {
  const script = { image: 'python', source: 'print()', restartPolicy: 'Never' };
  const after = stored(DataProcess, canonical({ ...common, processor: { script } }));
  assert.deepEqual(after.spec.processor, { script });
});

test('the labels of a job’s template become those of the pod', () => {
  const template = {
    metadata: { labels: { team: 'data' } },
    spec: { containers: [{ name: 'a', image: 'b' }] },
  };
  const after = stored(DataProcess, canonical({ ...common, processor: { job: { template } } }));
  assert.deepEqual(after.spec.processor, {
    podMetadata: template.metadata,
    job: { podSpec: { ...template.spec, restartPolicy: 'Never' } },
  });
});

const podOf = (image: string) => ({ containers: [{ name: 'a', image }] });
const clashes: readonly (readonly [string, object, string])[] = [
  [
    'a shell and a script',
    { processor: { shell: { scrip: 'ls' }, script: { source: 'pwd' } } },
    'spec.processor.shell',
  ],
  [
    'two names of the script in the shell',
    { processor: { shell: { scrip: 'ls', script: 'pwd' } } },
    'spec.processor.shell',
  ],
  [
    'an image in two places',
    { processor: { image: 'a:1', script: { source: 'ls', image: 'a', imageTag: '2' } } },
    'spec.processor.image',
  ],
  [
    'a job in two places',
    { job: { template: { spec: podOf('a') } }, processor: { job: { podSpec: podOf('b') } } },
    'spec.job',
  ],
  [
    'a pod in two places',
    { processor: { job: { podSpec: podOf('a'), template: { spec: podOf('b') } } } },
    'spec.processor.job.template.spec',
  ],
];

for (const [what, spec, field] of clashes) {
  test(`refused: ${what}`, () => {
    assertRefused(DataProcess, canonical({ ...common, ...spec }), {
      field: field,
      message: /set to something else; keep one/,
    });
  });
}

test('refused: an image for a job', () => {
  const processor = { image: 'a', job: { podSpec: podOf('b') } };
  assertRefused(DataProcess, canonical({ ...common, processor }), {
    field: 'spec.processor.image',
    message: /goes with spec\.processor\.script/,
  });
});
