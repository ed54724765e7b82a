import assert from 'node:assert/strict';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspectFile } from '@perigee/apiserver/store/inspect-file';
import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';
import type { Store } from '@perigee/apiserver/store/store';
import { put, remove, temporaryFolder } from './engines.ts';

const PAGE = 4096;
const COUNT = 200;
const DATA = 'data.mdb';

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

const stateOf = (store: Store) => [
  store.revision,
  store.range('things').entries.map(({ key, revision, bytes }) => [key, revision, String(bytes)]),
];

/** Numbers that look random, and are the same in every run. */
const numbers = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
};

test('a file whose end is missing is refused, wherever it was cut', async () => {
  const path = await filledFolder();
  const file = join(path, DATA);
  const whole = readFileSync(file);
  for (let pages = 2; pages < whole.length / PAGE; pages += 7) {
    writeFileSync(file, whole);
    truncateSync(file, pages * PAGE);
    assert.throws(() => openLmdbStore({ path }), {
      problem: 'broken',
      message: /data\.mdb is damaged: its end is missing;.* restore a backup/,
    });
    assert.equal(readFileSync(file).length, pages * PAGE, 'it was changed');
  }
  writeFileSync(file, whole);
  await using store = openLmdbStore({ path });
  assert.equal(store.count('things'), COUNT);
});

test('a file that was torn or overwritten is refused, and left as it is', async () => {
  const path = await filledFolder();
  const file = join(path, DATA);
  const whole = readFileSync(file);
  const torn = /the record of its last commits is torn/;
  const damages: readonly (readonly [RegExp, Buffer])[] = [
    [torn, whole.subarray(0, PAGE)],
    [torn, Buffer.from(whole).fill(0, PAGE, 2 * PAGE)],
    [torn, Buffer.from(whole).fill(0, 0, PAGE)],
    [/it is no file of a store/, whole.subarray(1)],
    [/page \d+ is not what it should be/, Buffer.from(whole).fill('noise', 2 * PAGE)],
  ];
  for (const [message, damaged] of damages) {
    writeFileSync(file, damaged);
    assert.throws(() => openLmdbStore({ path }), { problem: 'broken', message });
    assert.ok(readFileSync(file).equals(damaged), 'it was changed');
  }
});

test('a record that is not as it was written is named with its file and its key', async () => {
  const path = temporaryFolder();
  {
    await using store = openLmdbStore({ path });
    await put(store, 'root//configmaps', 'default/small', 'find me here');
    await put(store, 'root//configmaps', 'default/large', 'find me there'.padEnd(20_000, '.'));
    await put(store, 'root//configmaps', 'default/other');
  }
  const file = join(path, DATA);
  const whole = readFileSync(file);
  for (const [text, key] of [
    ['find me here', 'default/small'],
    ['find me there', 'default/large'],
  ] as const) {
    // A page that is no longer used may hold the same.
    writeFileSync(
      file,
      Buffer.from(whole.toString('latin1').replaceAll(text, 'f1nd'.padEnd(text.length)), 'latin1'),
    );
    const problem = `${file} is damaged: the record of ${key} in root//configmaps does not match its checksum;`;
    assert.throws(
      () => openLmdbStore({ path }),
      (error: Error) => error.message.startsWith(problem) && error.message.includes('--repair'),
    );
  }
});

test('no bit can change without being noticed, and none ends the process', async () => {
  const path = await filledFolder();
  const file = join(path, DATA);
  const before = await (async () => {
    await using store = openLmdbStore({ path });
    return stateOf(store);
  })();
  const whole = readFileSync(file);
  const random = numbers(4711);
  let refused = 0;
  for (let round = 0; round < 300; round++) {
    const damaged = Buffer.from(whole);
    // Every second one hits the records of the commits, or what all else hangs on.
    const at = round % 2 === 0 ? (round % 4 === 0 ? 0 : PAGE) + random(168) : random(whole.length);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << random(8));
    writeFileSync(file, damaged);
    let store: Store;
    try {
      store = openLmdbStore({ path });
    } catch (error) {
      assert.match((error as Error).message, /data\.mdb is damaged: /, `at ${at}`);
      refused++;
      continue;
    }
    assert.deepEqual(stateOf(store), before, `at ${at}`);
    await put(store, 'things', 'one more');
    await store[Symbol.asyncDispose]();
    assert.deepEqual(inspectFile(file).damages, [], `at ${at}`);
  }
  assert.ok(refused > 100, `${refused} were refused`);
});

test('whatever was written is found to be sound', async () => {
  const path = temporaryFolder();
  const random = numbers(99);
  for (let round = 0; round < 8; round++) {
    await using store = openLmdbStore({ path, mapSize: round % 2 === 0 ? 2 ** 30 : 2 ** 20 });
    const largest = [100, 3000, 60_000, 300_000][round % 4] ?? 0;
    for (let batch = 0; batch < 20; batch++) {
      const writes = Array.from({ length: 1 + random(60) }, () => {
        const [table, key] = [`t${random(3)}`, `k${random(200)}`];
        if (random(100) === 0) return store.drop(table);
        return random(4) === 0
          ? remove(store, table, key)
          : put(store, table, key, 'x'.repeat(random(largest)));
      });
      await Promise.all<unknown>(writes);
    }
    let found = 0;
    const { damages, missing, revision } = inspectFile(join(path, DATA), () => {
      found++;
    });
    const stored = store.tables().reduce((sum, table) => sum + store.count(table), 0);
    assert.deepEqual([damages, missing, revision, found], [[], 0, store.revision, stored]);
  }
});

test('a file that is missing or empty is not taken for a new store', async () => {
  const path = await filledFolder();
  const file = join(path, DATA);
  mkdirSync(join(path, 'pki'));
  rmSync(file);
  const refused = (state: string) => ({
    problem: 'broken',
    message: `${path} holds the marker of a store, but ${file} is ${state}: restore a backup with "perigee restore", or remove ${path} to begin anew with nothing`,
  });
  assert.throws(() => openLmdbStore({ path }), refused('missing'));
  writeFileSync(file, '');
  assert.throws(() => openLmdbStore({ path }), refused('empty'));
  // Not even if the marker is lost, too: there are keys.
  writeFileSync(join(path, 'perigee-store'), '');
  assert.throws(() => openLmdbStore({ path }), refused('empty'));
  assert.equal(readFileSync(file).length, 0);
});

test('a crash at any moment of the first start leaves a folder that can be used', async () => {
  const path = temporaryFolder();
  const marker = join(path, 'perigee-store');
  writeFileSync(marker, '');
  writeFileSync(join(path, DATA), '');
  {
    await using store = openLmdbStore({ path });
    assert.equal(store.revision, 0);
  }
  assert.equal(readFileSync(marker, 'utf8'), 'perigee store, format 2\n');
  // Everything but the marker was written.
  const descriptor = openSync(marker, 'w');
  writeSync(descriptor, '');
  closeSync(descriptor);
  await using store = openLmdbStore({ path });
  await put(store, 'things', 'a');
});
