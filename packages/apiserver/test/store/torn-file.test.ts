import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';
import { put, temporaryFolder } from './engines.ts';

const PAGE = 4096;
const COUNT = 200;

/** A folder whose store holds small objects and some that take several pages each. */
const filledFolder = async (): Promise<string> => {
  const path = temporaryFolder();
  await using store = openLmdbStore({ path });
  for (let at = 0; at < COUNT; at += 50) {
    const keys = Array.from({ length: 50 }, (_, n) => `k${at + n}`);
    await Promise.all(keys.map((key, n) => put(store, 'things', key, 'x'.repeat(100 + 90 * n))));
  }
  return path;
};

test('a file whose end is missing is refused, wherever it was cut', async () => {
  const path = await filledFolder();
  const file = join(path, 'data.mdb');
  const whole = readFileSync(file);
  for (let pages = 2; pages < whole.length / PAGE; pages += 7) {
    writeFileSync(file, whole);
    truncateSync(file, pages * PAGE);
    assert.throws(() => openLmdbStore({ path }), {
      problem: 'broken',
      message: /data\.mdb is damaged: its end is missing; restore/,
    });
    assert.equal(readFileSync(file).length, pages * PAGE, 'it was changed');
  }
  writeFileSync(file, whole);
  await using store = openLmdbStore({ path });
  assert.equal(store.count('things'), COUNT);
});

test('a file that was torn or overwritten is refused, and left as it is', async () => {
  const path = await filledFolder();
  const file = join(path, 'data.mdb');
  const whole = readFileSync(file);
  const torn = /the record of its last commits is torn/;
  const damages: readonly (readonly [RegExp, Buffer])[] = [
    [torn, whole.subarray(0, PAGE)],
    [torn, Buffer.from(whole).fill(0, PAGE, 2 * PAGE)],
    [/does not begin as an LMDB file/, Buffer.from(whole).fill(0, 0, PAGE)],
    [/does not begin as an LMDB file/, whole.subarray(1)],
    [/cannot open the store in/, Buffer.from(whole).fill('noise', 2 * PAGE)],
  ];
  for (const [message, damaged] of damages) {
    writeFileSync(file, damaged);
    assert.throws(() => openLmdbStore({ path }), { problem: 'broken', message });
    assert.ok(readFileSync(file).equals(damaged), 'it was changed');
  }
});
