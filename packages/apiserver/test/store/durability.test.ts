import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';
import type { Store } from '@perigee/apiserver/store/store';
import { put, remove, temporaryFolder } from './engines.ts';

const stateOf = (store: Store) =>
  store
    .tables()
    .map((table) => [
      table,
      store.range(table).entries.map(({ key, revision, bytes }) => [key, revision, String(bytes)]),
    ]);

test('a store that is opened again holds the same', async () => {
  const path = join(temporaryFolder(), 'a', 'b');
  const before = openLmdbStore({ path });
  const keys = ['ns/b', 'ns/a', 'ä', 'other\n/x', 'ns/b', ''];
  await Promise.all(keys.map((key, at) => put(before, 'root/things', key, at)));
  await put(before, 'root', 'things', 'x'.repeat(100_000));
  await put(before, 'dropped', 'a');
  await before.drop('dropped');
  const state = stateOf(before);
  await before[Symbol.asyncDispose]();

  await using after = openLmdbStore({ path });
  assert.deepEqual(stateOf(after), state);
  assert.equal(after.revision, 9);
});

test('a revision is not given again, also when its write removed something', async () => {
  const path = temporaryFolder();
  {
    await using store = openLmdbStore({ path });
    await put(store, 'things', 'a');
    await remove(store, 'things', 'a');
  }
  await using store = openLmdbStore({ path });
  assert.deepEqual([store.revision, store.count('things')], [2, 0]);
  assert.equal((await put(store, 'things', 'a')).revision, 3);
});

test('the history begins anew with the process, and says so', async () => {
  const path = temporaryFolder();
  {
    await using store = openLmdbStore({ path });
    await put(store, 'things', 'a');
    await put(store, 'things', 'a');
  }
  await using store = openLmdbStore({ path });
  assert.equal(store.compacted, 2);
  assert.throws(() => store.watch('things', { since: 1 }), { problem: 'compacted' });
  assert.throws(() => store.range('things', { revision: 1 }), { problem: 'compacted' });
  using watch = store.watch('things', { since: 2 });
  await put(store, 'things', 'a');
  const { value } = await watch[Symbol.asyncIterator]().next();
  assert.deepEqual([value?.[0]?.type, value?.[0]?.revision], ['MODIFIED', 3]);
});

test('a folder has one store at a time, in this process and in others', async () => {
  const path = temporaryFolder();
  const store = openLmdbStore({ path });
  assert.throws(() => openLmdbStore({ path }), { problem: 'locked', message: /in use by another/ });
  const child = () => {
    const program = join(import.meta.dirname, 'crash-writer.ts');
    return spawnSync(process.execPath, [program, path, '1', '1'], { encoding: 'utf8' });
  };
  assert.match(child().stderr, /StorageError: .* is in use by another process/);
  await store[Symbol.asyncDispose]();
  assert.equal(child().status, 0);
  await using again = openLmdbStore({ path });
  assert.ok(again.revision > 0);
});

test('only the owner may read the files', async () => {
  const path = join(temporaryFolder(), 'store');
  mkdirSync(path);
  chmodSync(path, 0o755);
  await using store = openLmdbStore({ path });
  await put(store, 'things', 'a');
  assert.equal(statSync(path).mode & 0o777, 0o700);
  for (const name of readdirSync(path)) {
    assert.equal(statSync(join(path, name)).mode & 0o777, 0o600, name);
  }
});

test('a folder with something else in it is refused, and left as it is', () => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'thesis.tex'), '');
  assert.throws(() => openLmdbStore({ path }), { problem: 'foreign', message: /thesis\.tex/ });
  assert.deepEqual(readdirSync(path), ['thesis.tex']);

  const newer = temporaryFolder();
  writeFileSync(join(newer, 'perigee-store'), 'perigee store, format 3\n');
  assert.throws(() => openLmdbStore({ path: newer }), { problem: 'foreign', message: /format 3/ });
});

test('a folder that was left by a crash while it was made is taken', async () => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'perigee-store'), '');
  await using store = openLmdbStore({ path });
  assert.equal(store.revision, 0);
});

test('a file that is no store is refused, and its lock given back', () => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'perigee-store'), 'perigee store, format 1\n');
  writeFileSync(join(path, 'data.mdb'), 'x'.repeat(100_000));
  for (let attempt = 0; attempt < 2; attempt++) {
    assert.throws(() => openLmdbStore({ path }), {
      problem: 'broken',
      message: /data\.mdb is damaged/,
    });
  }
});

test('a map size that LMDB would crash on is refused', () => {
  const path = temporaryFolder();
  for (const mapSize of [2 << 30, 0, 1.5, Number.NaN]) {
    assert.throws(() => openLmdbStore({ path, mapSize }), /map size must be/);
  }
});

test('the file grows beyond the map', async () => {
  const path = temporaryFolder();
  await using store = openLmdbStore({ path, mapSize: 2 ** 20 });
  const big = 'x'.repeat(100_000);
  await Promise.all(Array.from({ length: 40 }, (_, n) => put(store, 'things', `${n}`, big)));
  assert.ok(statSync(join(path, 'data.mdb')).size > 4_000_000);
});

test('a key that is too long is refused alone', async () => {
  await using store = openLmdbStore({ path: temporaryFolder() });
  const good = put(store, 'things', 'a');
  await assert.rejects(put(store, 'things', '\u0000'.repeat(945)), /longer than 950 bytes/);
  await put(store, 'things', '\u0000'.repeat(944));
  await good;
  assert.equal(store.count('things'), 2);
});
