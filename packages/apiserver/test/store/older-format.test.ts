import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspectFile } from '@perigee/apiserver/store/inspect-file';
import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';
import { open } from 'lmdb';
import { temporaryFolder } from './engines.ts';

const COUNT = 500;
const OLD_MARKER = 'perigee store, format 1\n';

const objectOf = (n: number): string =>
  JSON.stringify({
    metadata: { name: `k${n}`, resourceVersion: `${n}` },
    text: 'y'.repeat(n * 20),
  });

const withRevision = (revision: number, text: string): Buffer => {
  const head = Buffer.alloc(6);
  head.writeUIntBE(revision, 0, 6);
  return Buffer.concat([head, Buffer.from(text)]);
};

/** A folder as the version before left it: without checksums. */
const oldFolder = async (texts: (n: number) => string = objectOf): Promise<string> => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'perigee-store'), OLD_MARKER);
  const settings = { path, noSubdir: false, overlappingSync: false } as const;
  const root = open<Buffer, string>({ ...settings, encoding: 'binary' });
  const objects = root.openDB<Buffer, [string, string]>({ name: 'objects', encoding: 'binary' });
  root.transactionSync(() => {
    for (let n = 1; n <= COUNT; n++) {
      objects.putSync(['root//things', `k${n}`], withRevision(n, texts(n)));
    }
    root.putSync('revision', withRevision(COUNT + 7, ''));
  });
  await root.close();
  return path;
};

const expectAll = async (path: string): Promise<void> => {
  await using store = openLmdbStore({ path });
  assert.equal(store.revision, COUNT + 7);
  const { entries } = store.range('root//things');
  assert.equal(entries.length, COUNT);
  for (const { key, revision, bytes } of entries) {
    assert.equal(key, `k${revision}`);
    assert.equal(String(bytes), objectOf(revision));
  }
};

test('a store without checksums gets them, and loses nothing', async () => {
  const path = await oldFolder();
  await expectAll(path);
  assert.equal(readFileSync(join(path, 'perigee-store'), 'utf8'), 'perigee store, format 2\n');
  assert.deepEqual(inspectFile(join(path, 'data.mdb')).format, 2);
  await expectAll(path);
});

test('a crash while it gets them loses nothing', async () => {
  const path = await oldFolder();
  // The folder is marked first, so that no older version opens it; all else is one transaction.
  writeFileSync(join(path, 'perigee-store'), 'perigee store, format 2\n');
  await expectAll(path);
});

test('what is no object is named rather than sealed', async () => {
  const path = await oldFolder((n) => (n === 44 ? '{"broken' : objectOf(n)));
  const before = readFileSync(join(path, 'data.mdb'));
  assert.throws(() => openLmdbStore({ path }), {
    problem: 'broken',
    message: /data\.mdb is damaged: the record of k44 in root\/\/things is no JSON;/,
  });
  assert.ok(readFileSync(join(path, 'data.mdb')).equals(before));
  assert.equal(readFileSync(join(path, 'perigee-store'), 'utf8'), OLD_MARKER);
});
