import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';
import { put, temporaryFolder } from './engines.ts';

const PROGRAM = join(import.meta.dirname, 'full-disk-writer.ts');

/** Runs the program where no file may grow beyond a megabyte: the disk fails as a full one does. */
const runWithSmallFiles = (...args: readonly string[]) =>
  spawnSync(
    'sh',
    ['-c', `trap '' XFSZ; ulimit -f 2048; exec "$0" "$@"`, process.execPath, PROGRAM, ...args],
    { encoding: 'utf8' },
  );

test('a disk that takes no more fails the writers, and harms nothing', async () => {
  const path = temporaryFolder();
  const { stdout, status } = runWithSmallFiles(path);
  assert.equal(status, 0);
  const report = JSON.parse(stdout);
  assert.equal(report.error, 'StorageError');
  assert.match(report.message, new RegExp(`^writing to ${path} failed: `));
  assert.ok(report.acknowledged > 0 && report.acknowledged < report.tried, stdout);
  assert.deepEqual([report.count, report.events], [report.acknowledged, report.acknowledged]);

  await using store = openLmdbStore({ path });
  assert.equal(store.count('things'), report.acknowledged);
  assert.equal(store.revision, report.revision);
  await put(store, 'things', 'there is room again');
});
