import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type S3Server, startS3 } from '../../packages/mover/test/support/s3-server.ts';
import { ACCESS_KEY, SECRET_KEY } from '../../packages/mover/test/support/s3-signature.ts';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openFolder, type PerigeeProcess, startUp } from '../placement/perigee-process.ts';

const MAIN = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;
const LONGEST_MS = 120_000;
const kubectl = kubectlBinary();
const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

describe('a flow from a bucket and back to it', { skip: kubectl.skip }, () => {
  const folder = openFolder();
  const data = join(folder.path, 'data');
  const numbers = Array.from({ length: 1000 }, (_, at) => `${at + 1}\n`).join('');
  const large = Buffer.alloc(9 * 2 ** 20, 'weights');
  let s3: S3Server;
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

  const keysOf = (secret: string) =>
    ['access-key', 'secret-key'].map((name) => ({
      name,
      valueFrom: { secretKeyRef: { name: secret, key: name } },
    }));
  const storage = (uri: string, secret = 'keys') => ({
    uri,
    options: { endpoint: s3.endpoint, region: 'eu-test-1' },
    encryptOptions: keysOf(secret),
  });
  const after_ = (kind: string, name: string) => ({ runAfter: { kind, name } });
  const object = (kind: string, name: string, spec: object) => ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind,
    metadata: { name, namespace: 'default' },
    spec,
  });
  const apply = (...items: readonly object[]) =>
    k('apply -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const secret = (name: string, secretKey: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default' },
    stringData: { 'access-key': ACCESS_KEY, 'secret-key': secretKey },
  });

  before(async () => {
    s3 = await startS3();
    s3.put('raw/numbers.txt', numbers);
    s3.put('raw/deep/model.bin', large);
    s3.put('labels/l.txt', 'cat');
    up = await startUp(data, '--port', '0', '--nodes', '1', '--run-processes');
  });
  after(async () => {
    await up[Symbol.asyncDispose]();
    await s3[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('migrates, loads, processes, migrates back and saves; the checksums agree', async (t) => {
    if (up.said().includes('isolation of these processes: none')) {
      return t.skip('this machine gives processes no file system of their own');
    }
    const mount = {
      mountPoint: 's3://bkt/labels',
      path: '/',
      options: { endpoint: s3.endpoint, region: 'eu-test-1' },
      encryptOptions: keysOf('keys'),
    };
    const source = 'mkdir -p /data/out && sha256sum < /data/numbers.txt > /data/out/sum';
    const script = { command: ['sh'], source, image: 'x' };
    const lake = (path = '') => ({ dataset: { name: 'lake', path } });
    await apply(
      secret('keys', SECRET_KEY),
      object('Dataset', 'lake', {}),
      object('Dataset', 'labels', { mounts: [mount] }),
      object('DataMigrate', 'bring', {
        from: { externalStorage: storage('s3://bkt/raw') },
        to: lake(),
      }),
      object('DataLoad', 'warm', {
        dataset: { name: 'labels' },
        ...after_('DataMigrate', 'bring'),
      }),
      object('DataProcess', 'sum', {
        dataset: { name: 'lake', mountPath: '/data' },
        processor: { script },
        ...after_('DataLoad', 'warm'),
      }),
      object('DataMigrate', 'publish', {
        from: lake('out'),
        to: { externalStorage: storage('s3://bkt/published/') },
        ...after_('DataProcess', 'sum'),
      }),
      object('DataBackup', 'save', {
        dataset: 'lake',
        backupPath: 's3://bkt/saved',
        options: { endpoint: s3.endpoint, region: 'eu-test-1' },
        encryptOptions: keysOf('keys'),
        ...after_('DataMigrate', 'publish'),
      }),
    );
    const shown = await perigee('flow', 'show', 'datamigrate/bring', '-w');
    assert.match(shown, /Complete, 5 of 5 steps complete/);
    const text = (key: string): string => s3.objects?.get(key)?.bytes.toString() ?? '';
    assert.equal(text('published/sum').split(' ')[0], sha256(numbers));
    assert.equal(
      sha256(s3.objects?.get('saved/default/lake/data/deep/model.bin')?.bytes ?? ''),
      sha256(large),
    );
    const bring = JSON.parse(await k('get datamigrate bring -o json'));
    const [{ result }] = bring.status.clusters;
    assert.deepEqual([result.bytes, result.files], [numbers.length + large.length, 2]);
    assert.match(result.digest, /^tree1:/);
    assert.equal(bring.status.progress.percentage, 100);
    const manifest = JSON.parse(text('saved/default/lake/manifest.json'));
    assert.equal(manifest.files, 3);

    const [id, key] = [join(folder.path, 'id'), join(folder.path, 'key')];
    writeFileSync(id, ACCESS_KEY);
    writeFileSync(key, SECRET_KEY);
    const there = ['--endpoint', s3.endpoint, '--region', 'eu-test-1'];
    const keys = ['--access-key-file', id, '--secret-key-file', key];
    const verified = await perigee(
      'backup',
      'verify',
      's3://bkt/saved/default/lake',
      ...there,
      ...keys,
    );
    assert.match(verified, /^intact: 3 files/);
    const kinds =
      'datamigrates,databackups,dataloads,datasets,jobs,configmaps,events,resourcebindings';
    const told = await k(`get ${kinds} -A -o yaml`);
    assert.equal(told.includes(SECRET_KEY), false, 'no object tells the secret');
    assert.equal(up.said().includes(SECRET_KEY), false);
  });

  it('starts a dataset from a backup in the bucket, verified by its manifest', async (t) => {
    if (!s3.objects?.has('saved/default/lake/manifest.json')) return t.skip('nothing was saved');
    const dataRestoreLocation = {
      path: 's3://bkt/saved',
      dataset: 'default/lake',
      options: { endpoint: s3.endpoint, region: 'eu-test-1' },
      encryptOptions: keysOf('keys'),
    };
    await apply(
      object('Dataset', 'again', { dataRestoreLocation }),
      object('DataLoad', 'restore', { dataset: { name: 'again' } }),
    );
    await k('wait dataload/restore --for=jsonpath={.status.phase}=Complete --timeout=60s');
    const { status } = JSON.parse(await k('get dataload restore -o json'));
    const saved = s3.objects.get('saved/default/lake/manifest.json')?.bytes.toString() ?? '{}';
    assert.equal(status.clusters[0].result.digest, JSON.parse(saved).digest);
    s3.put('saved/default/lake/data/numbers.txt', 'decayed');
    await apply(
      object('Dataset', 'damaged', { dataRestoreLocation }),
      object('DataLoad', 'refused', { dataset: { name: 'damaged' } }),
    );
    await k('wait dataload/refused --for=jsonpath={.status.phase}=Failed --timeout=60s');
    const refused = JSON.parse(await k('get dataload refused -o json'));
    assert.match(
      refused.status.conditions[0].message,
      /BackupDamaged: the backup of .* is damaged/,
    );
  });

  it('says what is wrong with credentials, and does not try them again', async () => {
    await apply(
      secret('wrong', 'guessed'),
      object('Dataset', 'other', {}),
      object('DataMigrate', 'denied', {
        from: { externalStorage: storage('s3://bkt/raw', 'wrong') },
        to: { dataset: { name: 'other' } },
      }),
    );
    await k('wait datamigrate/denied --for=jsonpath={.status.phase}=Failed --timeout=60s');
    const { status } = JSON.parse(await k('get datamigrate denied -o json'));
    assert.match(status.conditions[0].message, /PermissionDenied: .*SignatureDoesNotMatch/);
  });
});
