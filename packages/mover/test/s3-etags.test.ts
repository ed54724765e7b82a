import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { failureOf } from './support/run.ts';
import type { Fault, S3Request } from './support/s3-server.ts';
import { open, texts } from './support/s3-world.ts';
import { contents, plant } from './support/trees.ts';

const PIECE = 8 * 2 ** 20;

test('what a bucket keeps under a key of KMS is not compared by its ETag', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  s3.isUnderKey = true;
  plant(join(folder, 'from'), { a: 'one', large: Buffer.alloc(PIECE + 1, 'x') });
  const up = await run(local('from'), bucket('t'));
  assert.deepEqual([up.filesCopied, up.retries], [2, undefined]);
  const again = await run(local('from'), bucket('t'));
  assert.deepEqual([again.filesCopied, again.digest], [0, up.digest]);
  s3.put('t/of-others', 'two');
  await run(bucket('t'), local('back'));
  assert.equal(contents(join(folder, 'back'))['of-others'], 'two');
  plant(join(folder, 'from'), { a: 'ONE' });
  assert.equal((await run(local('from'), bucket('t'))).filesCopied, 1, 'what changed is found');
});

/** Damages what is put to a key, or to the first part of an upload to it, as often as it is told. */
const damage = (key: string, times = Number.POSITIVE_INFINITY): ((request: S3Request) => Fault) => {
  let left = times;
  return (request) => {
    const isPut = request.method === 'PUT' && (request.query.get('partNumber') ?? '1') === '1';
    return isPut && request.key === key && left-- > 0 ? 'damaged' : undefined;
  };
};

test('what was damaged on its way to a bucket is sent again at once', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  plant(join(folder, 'from'), { a: 'one', large: Buffer.alloc(PIECE + 1, 'x') });
  for (const key of ['t/a', 't/large']) {
    s3.objects?.clear();
    // A server that does not compare the SHA-256 that is sent along.
    s3.fault = damage(key, 2);
    const up = await run(local('from'), bucket('t'));
    assert.deepEqual([up.filesCopied, up.retries], [2, 2], key);
    assert.deepEqual(texts(s3), { 't/a': 'one', 't/large': 'x'.repeat(PIECE + 1) });
  }
});

test('what is damaged each time fails the move, and is not taken by the next run', async () => {
  for (const [name, content] of Object.entries({ a: 'one', large: 'x'.repeat(PIECE + 1) })) {
    await using world = await open();
    const { s3, folder, run, bucket, local } = world;
    plant(join(folder, 'from'), { [name]: content });
    s3.fault = damage(`t/${name}`);
    const failed = await failureOf(() => run(local('from'), bucket('t')));
    assert.match(failed, /^VerificationFailed: target \w+ does not hold what was written to it/);
    assert.equal(s3.objects?.size, 0, 'nothing damaged has its name, and no note leads to it');
    assert.equal(s3.uploads.size, 0, 'no upload with a damaged part is left');
    s3.fault = () => undefined;
    await run(local('from'), bucket('t'));
    assert.deepEqual(texts(s3), { [`t/${name}`]: content });
  }
});

test('a damaged object whose record is right is not taken for a copy', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  plant(join(folder, 'from'), { a: 'one' });
  // As a mover leaves it that was killed before it saw the ETag.
  s3.put('t/a', 'onE', { 'perigee-sha256': createHash('sha256').update('one').digest('hex') });
  assert.equal((await run(local('from'), bucket('t'))).filesCopied, 1);
  assert.deepEqual(texts(s3), { 't/a': 'one' });
});
