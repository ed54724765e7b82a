import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';
import { repairStore } from '@perigee/apiserver/store/repair-store';
import { put, temporaryFolder } from './engines.ts';

const COUNT = 300;
const PAGE = 4096;

const filledFolder = async () => {
  const path = temporaryFolder();
  await using store = openLmdbStore({ path });
  const keys = Array.from({ length: COUNT }, (_, n) => `k${n}`);
  for (const key of keys) await put(store, 'things', key, `value of ${key}.`.padEnd(200, '-'));
  return { path, file: join(path, 'data.mdb'), revision: store.revision };
};

/** Changes a text wherever the file has it. */
const spoil = (file: string, text: string): void => {
  const content = readFileSync(file, 'latin1').replaceAll(text, '?'.repeat(text.length));
  writeFileSync(file, Buffer.from(content, 'latin1'));
};

const repair = (path: string, drop: boolean) => repairStore({ path, drop, suffix: 'today' });

test('a repair says what it would drop, and changes nothing until it is told to', async () => {
  const { path, file, revision } = await filledFolder();
  spoil(file, 'value of k7.');
  spoil(file, 'value of k77.');
  const damaged = readFileSync(file);
  const { salvage, copy } = await repair(path, false);
  assert.deepEqual(
    salvage.damages.map(({ table, key }) => [table, key]),
    [
      ['things', 'k7'],
      ['things', 'k77'],
    ],
  );
  assert.equal(copy, undefined);
  assert.ok(readFileSync(file).equals(damaged), 'it was changed');

  const done = await repair(path, true);
  assert.equal(done.copy, `${file}.damaged-today`);
  assert.ok(readFileSync(`${file}.damaged-today`).equals(damaged));
  assert.equal(statSync(`${file}.damaged-today`).mode & 0o777, 0o600);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(readdirSync(path).every((name) => !name.startsWith('repair-')));
  await using store = openLmdbStore({ path });
  assert.equal(store.count('things'), COUNT - 2);
  assert.equal(store.get('things', 'k7'), undefined);
  assert.equal(store.get('things', 'k8')?.object.data !== undefined, true);
  // Watchers have not heard that two are gone.
  assert.throws(() => store.watch('things', { since: revision }), { problem: 'compacted' });
});

test('a sound folder is left as it is', async () => {
  const { path, file } = await filledFolder();
  const before = readFileSync(file);
  const { salvage, copy } = await repair(path, true);
  assert.deepEqual([salvage.damages, salvage.records.length, copy], [[], COUNT, undefined]);
  assert.ok(readFileSync(file).equals(before));
});

test('what cannot be named is counted, and the rest is saved', async () => {
  const { path, file } = await filledFolder();
  const whole = readFileSync(file);
  let worst = 0;
  for (let page = 2; page < whole.length / PAGE; page += 5) {
    writeFileSync(file, Buffer.from(whole).fill('noise', page * PAGE, (page + 1) * PAGE));
    const { salvage } = await repair(path, false);
    const lost = COUNT - salvage.records.length;
    worst = Math.max(worst, lost);
    assert.ok(lost === 0 || salvage.missing === lost || salvage.goesBack, `page ${page}: ${lost}`);
  }
  assert.ok(worst < COUNT, 'of one page, never all');
});

test('a torn record of the last commit goes back by one commit', async () => {
  const { path, file } = await filledFolder();
  const whole = readFileSync(file);
  const newest = whole.readBigUInt64LE(152) > whole.readBigUInt64LE(PAGE + 152) ? 0 : PAGE;
  writeFileSync(file, Buffer.from(whole).fill(0, newest, newest + 176));
  const { salvage } = await repair(path, true);
  assert.equal(salvage.goesBack, true);
  assert.equal(salvage.records.length, COUNT - 1);
  await using store = openLmdbStore({ path });
  assert.equal(store.count('things'), COUNT - 1);
});

test('where there is nothing left, it says so', async () => {
  const { path, file } = await filledFolder();
  truncateSync(file, 0);
  await assert.rejects(repair(path, true), /there is nothing to repair in .* is missing or empty/);
  rmSync(file);
  await assert.rejects(repair(path, false), /restore a backup/);
});
