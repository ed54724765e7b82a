import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { admit } from '@perigee/api/kind/admit';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import { parse } from 'yaml';
import { flowName } from '../../src/flows/flow-name.ts';
import type { Operation } from '../../src/flows/operation.ts';
import { runName, runObjects } from '../../src/flows/operation-run-objects.ts';
import { renderProcessJob } from '../../src/flows/render-process-job.ts';
import type { RunParts } from '../../src/flows/run-parts.ts';
import { finder, named, operation } from './operations.ts';

const processOf = (spec: object): DataProcess =>
  operation('DataProcess', { spec }) as unknown as DataProcess;

const render = (one: DataProcess, dataset?: Dataset): RunParts => {
  const run = renderProcessJob(one, 'run', { findDataset: () => dataset });
  assert.equal(run.kind, 'run');
  return run as RunParts;
};

/** As the server stores it. */
const stored = (yaml: string): DataProcess => {
  const { metadata, ...object } = parse(yaml);
  const input = { ...object, metadata: { ...metadata, namespace: 'default' } };
  return admit(DataProcess, input).object as unknown as DataProcess;
};

const SEED = `
apiVersion: data.fluid.io/v1alpha1
kind: DataProcess
metadata: { name: sample-process }
spec:
  dataset: { name: raw-data, namespace: default, mountPath: /data, subPath: path/to/samples }
  runAfter: { operationKind: DataLoad, name: raw-data-warmup, namespace: default }
`;

suite('the design’s own YAML', () => {
  test('its shell script is a file that a shell runs', () => {
    const { podSpec, files } = render(
      stored(`${SEED}
  processor:
    shell:
      scrip: |
        set -ex
        python3 /root/code/process_data.py --data-dir /data
    image: mycode/pypreprocess:latest
    serviceAccountName: mysa
`),
    );
    assert.deepEqual(files, {
      'preprocess.sh': 'set -ex\npython3 /root/code/process_data.py --data-dir /data\n',
    });
    assert.deepEqual(podSpec, {
      restartPolicy: 'Never',
      serviceAccountName: 'mysa',
      containers: [
        {
          name: 'script-processor',
          image: 'mycode/pypreprocess:latest',
          imagePullPolicy: 'IfNotPresent',
          command: ['sh'],
          args: ['/fluid-scripts/preprocess.sh'],
          volumeMounts: [
            {
              name: 'script-cm-vol',
              mountPath: '/fluid-scripts/preprocess.sh',
              subPath: 'preprocess.sh',
            },
            { name: 'fluid-dataset-vol', mountPath: '/data', subPath: 'path/to/samples' },
          ],
        },
      ],
      volumes: [
        { name: 'script-cm-vol', configMap: { name: 'run', defaultMode: 0o555 } },
        { name: 'fluid-dataset-vol', persistentVolumeClaim: { claimName: 'raw-data' } },
      ],
    });
  });

  test('its job has the dataset beside its own volume', () => {
    const { podSpec, files } = render(
      stored(`${SEED}
  job:
    template:
      spec:
        containers:
        - image: mycode/pypreprocess:latest
          imagePullPolicy: IfNotPresent
          name: sample-process
          command: [python3, /root/code/process_data.py, --data-path, /data]
          volumeMounts: [{ mountPath: /root/code, name: code }]
        volumes: [{ name: code, persistentVolumeClaim: { claimName: nas-pvc } }]
`),
    );
    assert.deepEqual(files, {});
    assert.deepEqual(podSpec, {
      restartPolicy: 'Never',
      containers: [
        {
          name: 'sample-process',
          image: 'mycode/pypreprocess:latest',
          imagePullPolicy: 'IfNotPresent',
          command: ['python3', '/root/code/process_data.py', '--data-path', '/data'],
          volumeMounts: [
            { mountPath: '/root/code', name: 'code' },
            { name: 'fluid-dataset-vol', mountPath: '/data', subPath: 'path/to/samples' },
          ],
        },
      ],
      volumes: [
        { name: 'code', persistentVolumeClaim: { claimName: 'nas-pvc' } },
        { name: 'fluid-dataset-vol', persistentVolumeClaim: { claimName: 'raw-data' } },
      ],
    });
  });
});

suite('scripts', () => {
  const script = (more: object = {}, dataset: object = {}) =>
    render(
      processOf({
        dataset: { name: 'raw', namespace: 'default', mountPath: '/data', ...dataset },
        processor: { script: { source: 'ls', image: 'i', restartPolicy: 'OnFailure', ...more } },
      }),
    );
  const container = (more: object = {}, dataset: object = {}) =>
    (script(more, dataset).podSpec as { containers: readonly { [field: string]: unknown }[] })
      .containers[0];

  test('what is in a script stays in its file', () => {
    const source = '$(reboot) `id` $HOME "\'\\ \n{{ .Values }} %s';
    const run = script({ source });
    assert.deepEqual(run.files, { 'preprocess.sh': source });
    assert.ok(!JSON.stringify(run.podSpec).includes('reboot'));
  });

  test('an image needs no tag, and a script an image', () => {
    assert.equal(container({ image: 'a', imageTag: 'v1' })?.image, 'a:v1');
    assert.equal(container({ image: 'a' })?.image, 'a');
    const bare = processOf({ processor: { script: { source: 'ls', restartPolicy: 'Never' } } });
    const run = renderProcessJob(bare, 'run');
    assert.match('message' in run ? run.message : '', /give spec\.processor\.script\.image/);
  });

  test('env, resources, volumes and the restart policy are taken over', () => {
    const env = [{ name: 'A', value: 'b' }];
    const resources = { requests: { cpu: '1' } };
    const volumes = [{ name: 'mine', emptyDir: {} }];
    const volumeMounts = [{ name: 'mine', mountPath: '/mine' }];
    const more = { env, resources, volumes, volumeMounts, imagePullPolicy: 'Always' };
    const one = container(more);
    assert.deepEqual([one?.env, one?.resources, one?.imagePullPolicy], [env, resources, 'Always']);
    const { podSpec } = script(more);
    assert.equal(podSpec.restartPolicy, 'OnFailure');
    const names = (podSpec.volumes as readonly { name: string }[]).map(({ name }) => name);
    assert.deepEqual(names, ['mine', 'script-cm-vol', 'fluid-dataset-vol']);
  });

  test('volumes of users may have any name, also ours', () => {
    const volumes = ['script-cm-vol', 'fluid-dataset-vol', 'fluid-dataset-vol-2'].map((name) => ({
      name,
      emptyDir: {},
    }));
    const { podSpec } = script({ volumes });
    const names = (podSpec.volumes as readonly { name: string }[]).map(({ name }) => name);
    assert.deepEqual(names.slice(3), ['script-cm-vol-2', 'fluid-dataset-vol-3']);
  });

  test('without a mount path the dataset is not mounted', () => {
    const mounts = container({}, { mountPath: '' })?.volumeMounts as readonly object[];
    assert.equal(mounts.length, 1);
  });
});

test('a job has the dataset in all containers, also those that come first', () => {
  const { podSpec } = render(
    processOf({
      processor: {
        job: {
          podSpec: { initContainers: [{ name: 'i' }], containers: [{ name: 'a' }, { name: 'b' }] },
        },
      },
    }),
  );
  const mounts = [{ name: 'fluid-dataset-vol', mountPath: '/data' }];
  assert.deepEqual(podSpec.initContainers, [{ name: 'i', volumeMounts: mounts }]);
  assert.deepEqual(podSpec.containers, [
    { name: 'a', volumeMounts: mounts },
    { name: 'b', volumeMounts: mounts },
  ]);
});

test('data that was produced is mounted from where it lies', () => {
  const copy = { name: 'm1', claim: 'models', path: 'out/llm' };
  const pod = (state: string, subPath?: string) => {
    const dataset = { name: 'llm', namespace: 'default', mountPath: '/data', subPath };
    const known = { status: { clusters: [{ ...copy, state }] } } as never;
    const { podSpec } = render(processOf({ dataset }), known);
    const [main] = podSpec.containers as readonly { volumeMounts: readonly object[] }[];
    return [(podSpec.volumes as readonly object[]).at(-1), main?.volumeMounts.at(-1)];
  };
  const mount = { name: 'fluid-dataset-vol', mountPath: '/data' };
  const volume = (claimName: string) => ({
    name: 'fluid-dataset-vol',
    persistentVolumeClaim: { claimName },
  });
  assert.deepEqual(pod('Complete'), [volume('models'), { ...mount, subPath: 'out/llm' }]);
  assert.deepEqual(pod('Complete', 'a'), [volume('models'), { ...mount, subPath: 'out/llm/a' }]);
  assert.deepEqual(pod('Evicted', 'a'), [volume('llm'), { ...mount, subPath: 'a' }]);
});

test('what cannot be is refused with Fluid’s reason', () => {
  const run = renderProcessJob(processOf({ processor: {} }), 'run');
  assert.deepEqual([run.kind, 'reason' in run && run.reason], ['refused', 'ProcessorNotSpecified']);
});

suite('the objects of a run', () => {
  const parts: RunParts = { kind: 'run', podSpec: { containers: [] }, files: {} };
  const place = (flow: string) => ({
    flow,
    nodes: { required: [], preferred: [], clusters: undefined },
  });

  test('names are valid, stable, and each attempt’s own', () => {
    const long = operation('DataProcess', {
      metadata: named(`${'a'.repeat(60)}.${'b'.repeat(190)}`),
    });
    const all = [1, 2, 3].map((attempt) => runName(long, attempt));
    assert.equal(new Set(all).size, 3);
    for (const name of all) assert.match(name, /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    assert.equal(runName(long, 1), all[0]);
    const sameName = (kind: string) => runName(operation(kind, { metadata: { uid: kind } }), 1);
    assert.equal(new Set(['DataLoad', 'DataProcess'].map(sameName)).size, 2);
  });

  test('marks, limits and the owner', () => {
    const one = operation('DataLoad', {
      spec: { backoffLimit: 0, activeDeadlineSeconds: 9 },
      metadata: {
        labels: { team: 'a', 'propagationpolicy.karmada.io/permanent-id': 'forged' },
        annotations: { 'scheduling.volcano.sh/queue-name': 'q', other: 'x' },
      },
    });
    const { job, configMap } = runObjects(one, 1, { ...parts, files: { a: 'b' } }, place('flow'));
    assert.deepEqual(job.metadata.labels, {
      team: 'a',
      app: 'fluid-dataload',
      role: 'dataload-job',
      'fluid.io/dataflow': 'flow',
      'flows.perigee.io/operation': 'DataLoad.uid-of-step',
      'flows.perigee.io/attempt': '1',
    });
    assert.equal(job.metadata.annotations['scheduling.volcano.sh/queue-name'], 'q');
    assert.equal(job.metadata.ownerReferences[0]?.uid, 'uid-of-step');
    assert.deepEqual([job.spec.backoffLimit, job.spec.activeDeadlineSeconds], [0, 9]);
    assert.equal(configMap?.metadata.name, job.metadata.name);
    assert.equal(runObjects(operation('DataLoad'), 1, parts, place('f')).job.spec.backoffLimit, 3);
  });

  test('what is simulated never runs, whatever its pod says', () => {
    const runtimeOf = (one: Operation) => {
      const podAnnotations = { 'member.perigee.io/runtime': 'forged' };
      const { job } = runObjects(one, 1, { ...parts, podAnnotations }, place('f'));
      return (job.spec.template as { metadata: { annotations: { [key: string]: string } } })
        .metadata.annotations['member.perigee.io/runtime'];
    };
    assert.equal(runtimeOf(operation('DataLoad')), 'process');
    const annotations = { 'flows.perigee.io/simulate': 'true' };
    assert.equal(runtimeOf(operation('DataLoad', { metadata: { annotations } })), 'simulated');
  });

  test('a flow has the name of a label, or of its root', () => {
    const follows = (name: string, before: string, labels: object = {}) =>
      operation('DataLoad', {
        metadata: named(name, { labels }),
        spec: { runAfter: { kind: 'DataLoad', name: before } },
      });
    const [b, c] = [follows('b', 'a'), follows('c', 'b')];
    const root = operation('DataLoad', { metadata: named('a') });
    assert.equal(flowName(c, finder(root, b, c)), 'a');
    assert.equal(flowName(c, finder()), 'c');
    assert.equal(flowName(follows('d', 'c', { 'fluid.io/dataflow': 'mine' }), finder(c)), 'mine');
    assert.equal(flowName(follows('x', 'x'), finder(follows('x', 'x'))), 'x');
  });
});
