import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { failureOf } from './support/run.ts';
import type { StoredObject } from './support/s3-server.ts';
import { open, type World } from './support/s3-world.ts';
import { contents, plant } from './support/trees.ts';

const PIECE = 8 * 2 ** 20;

/** Saves a tree to a bucket, and gives an order by which it is restored. */
const save = async ({ folder, run, local, bucket }: World) => {
  plant(join(folder, 'from'), { a: 'one', large: Buffer.alloc(PIECE + 1, 'x') });
  const manifest = bucket('saved/manifest.json');
  await run(local('from'), bucket('saved/data'), { mode: 'sync', manifest: { place: manifest } });
  return { verifiedBy: manifest };
};

/** With its first byte, but with nothing that is told of it changed. */
const decayed = (object: StoredObject): StoredObject => {
  const bytes = Buffer.from(object.bytes);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return { ...object, bytes };
};

test('a restore fails for good when an object of the backup is not what was recorded of it', async () => {
  for (const name of ['a', 'large']) {
    await using world = await open();
    const { s3, folder, run, bucket, local } = world;
    const verified = await save(world);
    const key = `saved/data/${name}`;
    s3.objects?.set(key, decayed(s3.objects.get(key) as StoredObject));
    const restore = (to: object, more: object) =>
      failureOf(() => run(bucket('saved/data'), to, more));
    assert.match(
      await restore(local('back'), verified),
      new RegExp(`^BackupDamaged: source ${name} is not what was recorded of it: its sha256 is`),
    );
    assert.equal(existsSync(join(folder, 'back')), false);
    assert.match(await restore(bucket('to'), verified), /^BackupDamaged: source/);
    assert.equal(s3.objects?.has(`to/${name}`), false);
    assert.match(await restore(local('copy'), {}), /^VerificationFailed: source/, 'of no backup');
  }
});

test('an object of a backup that was damaged on the way once is read again', async () => {
  for (const name of ['a', 'large']) {
    await using world = await open();
    const { s3, folder, run, bucket, local } = world;
    const verified = await save(world);
    const key = `saved/data/${name}`;
    const whole = s3.objects?.get(key) as StoredObject;
    let isDamaged = false;
    s3.fault = (request) => {
      const isFirst = !(request.headers.range ?? '').startsWith(`bytes=${PIECE}-`);
      if (request.method === 'GET' && request.key === key && isFirst) {
        s3.objects?.set(key, isDamaged ? whole : decayed(whole));
        isDamaged = true;
      }
      return undefined;
    };
    await run(bucket('saved/data'), local('back'), verified);
    assert.ok(isDamaged);
    assert.deepEqual(contents(join(folder, 'back')), contents(join(folder, 'from')));
  }
});
