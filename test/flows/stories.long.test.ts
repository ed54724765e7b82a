import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openFolder, type PerigeeProcess, startUp } from '../placement/perigee-process.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const MAIN = join(ROOT, 'packages/cli/src/main.ts');
const LONGEST_MS = 300_000;
const kubectl = kubectlBinary();

/** The YAML of the design, with an interpreter that is here. */
const SEED = `
apiVersion: data.fluid.io/v1alpha1
kind: DataProcess
metadata:
  name: sample-shell
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
  processor:
    # shell script
    shell:
      scrip: |
        set -ex
        ls /data
        echo 'cat "$2"/*.txt | wc -l' > /root/code/process_data.sh
    image: mycode/pypreprocess:latest
---
apiVersion: data.fluid.io/v1alpha1
kind: DataProcess
metadata:
  name: sample-process
spec:
  dataset:
    name: raw-data
    namespace: default
    mountPath: /data
    subPath: path/to/samples
  runAfter:
    operationKind: DataProcess
    name: sample-shell
    namespace: default
  # kubernetes Job
  job:
    template:
      spec:
        containers:
        - image: mycode/pypreprocess:latest
          imagePullPolicy: IfNotPresent
          name: sample-process
          command:
            - sh
            - /root/code/process_data.sh
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

const SEED_LOAD = `
apiVersion: data.fluid.io/v1alpha1
kind: DataLoad
metadata:
  name: raw-data-warmup
spec:
  dataset:
    name: raw-data
    namespace: default
`;

const CODE = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: nas-pvc, namespace: default }
spec: { accessModes: [ReadWriteMany], resources: { requests: { storage: 1Gi } } }
`;

describe('stories of flows, on real bytes', { skip: kubectl.skip }, () => {
  const folder = openFolder();
  const samples = join(folder.path, 'samples');
  const data = join(folder.path, 'data');
  const numbers = Array.from({ length: 1000 }, (_, at) => `${at + 1}\n`).join('');
  let up: PerigeeProcess;

  const run = (program: string, args: readonly string[], input = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const env = { ...process.env, KUBECONFIG: join(data, 'kubeconfig'), HOME: folder.path };
      const options = { env, timeout: LONGEST_MS, maxBuffer: 64 * 1024 * 1024 };
      const child = execFile(program, [...args], options, (error, stdout, stderr) =>
        error === null
          ? resolve(stdout)
          : reject(new Error(`${args.join(' ')}: ${stdout}${stderr}`, { cause: error })),
      );
      child.stdin?.end(input);
    });
  const k = (args: string, input?: string) =>
    run(kubectl.path ?? '', args.split(' ').filter(Boolean), input);
  const perigee = (...args: readonly string[]) => run(process.execPath, [MAIN, ...args]);
  /** An example, with the folder of this test in place of the one that it names. */
  const example = (file: string): string =>
    readFileSync(join(ROOT, 'examples', file), 'utf8').replaceAll('/tmp/samples', samples);

  before(async () => {
    mkdirSync(samples);
    writeFileSync(join(samples, 'numbers.txt'), numbers);
    const options = ['--port', '0', '--nodes', '1', '--run-processes', '--host-path', samples];
    up = await startUp(data, ...options);
  });
  after(async () => {
    await up[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** Without a file system of its own, a pod cannot have a dataset at a path. */
  const hasPaths = (): boolean => !up.said().includes('isolation of these processes: none');

  it('trains a model: migrate, load, preprocess, train', async (t) => {
    if (!hasPaths()) return t.skip('this machine gives processes no file system of their own');
    await k('apply -f -', example('flow-training.yaml'));
    const shown = await perigee('flow', 'show', 'training', '-w');
    assert.match(shown, /Flow training in default: Complete, 4 of 4 steps complete/);
    assert.equal(await perigee('flow', 'logs', 'dataprocess/prepare'), 'prepared 1000 samples\n');
    assert.equal(await perigee('flow', 'logs', 'dataprocess/train'), 'mean 500.5\n');
    const dataset = JSON.parse(await k('get dataset raw -o json'));
    const [copy] = dataset.status.clusters;
    assert.equal(copy.state, 'Complete');
    assert.deepEqual([copy.bytes, copy.files], [numbers.length, 1]);
    assert.match(copy.digest, /./);
    assert.equal(dataset.status.fileNum, '1');
    assert.equal(dataset.status.cacheStates.cachedPercentage, '100.0%');
    const source = JSON.parse(await k('get datasource fluid-dataset.default.raw -o json'));
    assert.equal(source.status.copies[0].digest, copy.digest);
    const where = await perigee('data', 'whereis', 'default/raw', '-o', 'json');
    assert.match(where, new RegExp(copy.name));
  });

  it('serves a model: the service comes up where the last step has made its data', async (t) => {
    if (!hasPaths()) return t.skip('this machine gives processes no file system of their own');
    await k('apply -f -', example('flow-inference.yaml'));
    await perigee('flow', 'show', 'inference', '-w');
    await k('rollout status deployment/serve --timeout=120s');
    const source = JSON.parse(await k('get datasource converted-model -o json'));
    const [cluster] = source.spec.locality.clusterNames;
    const binding = JSON.parse(await k('get resourcebinding serve-deployment -o json'));
    assert.deepEqual(binding.spec.clusters, [{ name: cluster, replicas: 3 }]);
    const logs = await k(`--context ${cluster} logs deployment/serve`);
    assert.equal(logs, await perigee('flow', 'logs', 'dataprocess/convert'));
    assert.match(logs, new RegExp(` ${numbers.length} /data/numbers.txt`));
  });

  it('runs the YAML of the design, its shell and its job with the volume', async (t) => {
    if (!hasPaths()) return t.skip('this machine gives processes no file system of their own');
    mkdirSync(join(samples, 'path/to/samples'), { recursive: true });
    writeFileSync(join(samples, 'path/to/samples/a.txt'), 'one\ntwo\n');
    const mounts = [{ mountPoint: `local://${samples}`, path: '/' }];
    const dataset = {
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'Dataset',
      metadata: { name: 'raw-data', namespace: 'default' },
      spec: { mounts },
    };
    await k('apply -f -', JSON.stringify(dataset));
    for (const member of ['member1', 'member2', 'member3']) {
      await k(`--context ${member} apply -f -`, CODE);
    }
    // The shell of the design mounts nothing beside the dataset: it gets the code that the job runs.
    const volumes = [{ name: 'code', persistentVolumeClaim: { claimName: 'nas-pvc' } }];
    const volumeMounts = [{ name: 'code', mountPath: '/root/code' }];
    await k('apply -f -', SEED);
    const patch = { spec: { processor: { script: { volumes, volumeMounts } } } };
    await k(
      `patch dataprocess sample-shell --type=merge -p ${JSON.stringify(patch).replaceAll(' ', '')}`,
    );
    await k('apply -f -', SEED_LOAD);
    const shown = await perigee('flow', 'show', 'dataload/raw-data-warmup', '-w');
    assert.match(shown, /Complete, 3 of 3 steps complete/);
    // The shell tells its steps on stderr and the program its result on stdout: two pipes, in any order.
    const told = (await perigee('flow', 'logs', 'dataprocess/sample-shell')).split('\n');
    assert.ok(told.includes('+ ls /data') && told.includes('a.txt'), told.join('\n'));
    assert.equal((await perigee('flow', 'logs', 'dataprocess/sample-process')).trim(), '2');
  });

  it('shows a tenant of the control plane what their step has printed in a member', async () => {
    await k('create namespace team-a');
    await k('create serviceaccount jane -n team-a');
    const jane = '--serviceaccount=team-a:jane';
    await k(`create rolebinding jane --clusterrole=perigee-user ${jane} -n team-a`);
    await k(`create clusterrolebinding jane --clusterrole=perigee-inventory-reader ${jane}`);
    const config = JSON.parse(await k('config view --raw --minify --context=perigee -o json'));
    config.users[0].user = { token: (await k('create token jane -n team-a')).trim() };
    const kubeconfig = join(folder.path, 'jane.kubeconfig');
    writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
    const metadata = (name: string) => ({ name, namespace: 'team-a' });
    const apiVersion = 'data.fluid.io/v1alpha1';
    const dataset = { apiVersion, kind: 'Dataset', metadata: metadata('own'), spec: {} };
    const script = { command: ['sh'], source: 'echo hello jane', image: 'x' };
    const spec = { dataset: { name: 'own', mountPath: '' }, processor: { script } };
    const hello = { apiVersion, kind: 'DataProcess', metadata: metadata('hello'), spec };
    for (const one of [dataset, hello]) {
      await k(`--kubeconfig=${kubeconfig} apply -f -`, JSON.stringify(one));
    }
    const completes = '--for=jsonpath={.status.phase}=Complete';
    await k(`wait dataprocess/hello -n team-a ${completes} --timeout=60s`);
    const logs = () =>
      perigee('flow', 'logs', 'dataprocess/hello', '-n', 'team-a', '--kubeconfig', kubeconfig);
    await assert.rejects(logs(), /no way to it.*perigee-member-reader/s);
    await k(`create clusterrolebinding proxy --clusterrole=perigee-member-reader ${jane}`);
    await assert.rejects(logs(), /pods is forbidden: User "system:serviceaccount:team-a:jane"/);
    const where = '-o jsonpath={.status.clusters[0].name}';
    const cluster = await k(`get dataprocess hello -n team-a ${where}`);
    await k(`--context=${cluster} create rolebinding jane --clusterrole=view ${jane} -n team-a`);
    assert.equal(await logs(), 'hello jane\n');
  });

  it('has the bytes that were there, to the last one', async (t) => {
    if (!hasPaths()) return t.skip('this machine gives processes no file system of their own');
    const process_ = {
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'DataProcess',
      metadata: { name: 'sum', namespace: 'default' },
      spec: {
        dataset: { name: 'lake', mountPath: '/data' },
        processor: {
          script: { command: ['sh'], source: 'sha256sum < /data/numbers.txt', image: 'x' },
        },
      },
    };
    await k('apply -f -', JSON.stringify(process_));
    await perigee('flow', 'show', 'dataprocess/sum', '-w');
    const [sum] = (await perigee('flow', 'logs', 'dataprocess/sum')).split(' ');
    assert.equal(sum, createHash('sha256').update(numbers).digest('hex'));
  });
});
