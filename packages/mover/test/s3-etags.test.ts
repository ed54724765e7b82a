import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from './support/s3-world.ts';
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
