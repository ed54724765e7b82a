import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { temporaryFolder } from '../store/engines.ts';
import { call, list } from './api-calls.ts';
import { startServerProcess } from './server-process.ts';

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const NOBODY = 65534;

const configMap = (name: string) => ({ metadata: { name }, data: { text: 'x'.repeat(50_000) } });

test('a second server on the same folder is told who is in the way', async () => {
  const folder = temporaryFolder();
  await using first = await startServerProcess(folder);
  await assert.rejects(startServerProcess(folder), (error: Error) => {
    assert.ok(
      error.message.includes(`${folder} is in use by another process; stop that one first`),
    );
    return true;
  });
  assert.equal((await call(first.url, 'POST', COLLECTION, configMap('still-works'))).code, 201);
});

test('a folder that cannot be written is refused', async () => {
  const folder = join(temporaryFolder(), 'mine');
  mkdirSync(folder);
  chmodSync(folder, 0o555);
  chmodSync(join(folder, '..'), 0o755);
  const isRoot = process.getuid?.() === 0;
  await assert.rejects(
    startServerProcess(folder, isRoot ? { uid: NOBODY } : {}),
    (error: Error) => {
      assert.match(error.message, /StorageError: cannot keep a store in .*(EACCES|EPERM)/);
      assert.match(error.message, /name a folder that this user can write to/);
      return true;
    },
  );
});

const probe = async (url: string, path: string): Promise<string> => {
  const response = await fetch(url + path);
  return `${response.status} ${await response.text()}`;
};

/** Changes what a process may do while it runs; not every machine has the program. */
const prlimit = (...args: readonly string[]) =>
  spawnSync('sh', ['-c', 'exec "$0" "$@"', 'prlimit', ...args]).status;
const NO_PRLIMIT = prlimit('--version') !== 0;

test('a server whose disk is full is not ready until there is room', {
  skip: NO_PRLIMIT,
}, async () => {
  const folder = temporaryFolder();
  await using server = await startServerProcess(folder, { fileBlocks: 8_192 });
  const { url, pid } = server;
  assert.equal(await probe(url, '/readyz'), '200 ok');
  for (let at = 0; ; at++) {
    const { code } = await call(url, 'POST', COLLECTION, configMap(`m${at}`));
    if (code !== 201) break;
  }
  assert.match(await probe(url, '/readyz'), /^500 .*\[-\]storage failed: reason withheld/s);
  assert.match(await probe(url, '/readyz/storage'), /^500 .*the last write to the disk .* failed/);
  assert.equal(await probe(url, '/livez'), '200 ok', 'to start again would not help');
  assert.equal((await call(url, 'GET', COLLECTION)).code, 200, 'it can be read');
  // Nobody writes: it has to find out by itself.
  assert.equal(prlimit('--pid', `${pid}`, '--fsize=unlimited:'), 0);
  while ((await probe(url, '/readyz')) !== '200 ok') await realClock.sleep(100);
  assert.equal((await call(url, 'POST', COLLECTION, configMap('room-again'))).code, 201);
});

test('a disk that is full fails writes with a reason, and forgets none that it took', async () => {
  const folder = temporaryFolder();
  const taken: string[] = [];
  {
    await using server = await startServerProcess(folder, { fileBlocks: 8_192 });
    for (let at = 0; ; at++) {
      const { code, body } = await call(server.url, 'POST', COLLECTION, configMap(`m${at}`));
      if (code === 201) {
        taken.push(`m${at}`);
        continue;
      }
      assert.equal(code, 500);
      assert.match(String(body.message), /writing to .* failed|the disk of .* is full/);
      break;
    }
    const { objects } = await list(server.url, COLLECTION);
    assert.deepEqual(objects.map(({ metadata }) => metadata.name).toSorted(), taken.toSorted());
  }
  assert.ok(taken.length > 5);
  await using server = await startServerProcess(folder);
  const { objects } = await list(server.url, COLLECTION);
  assert.deepEqual(objects.map(({ metadata }) => metadata.name).toSorted(), taken.toSorted());
  assert.equal((await call(server.url, 'POST', COLLECTION, configMap('room-again'))).code, 201);
});
