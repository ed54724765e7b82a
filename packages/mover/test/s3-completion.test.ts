import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { failureOf } from './support/run.ts';
import type { S3Request } from './support/s3-server.ts';
import { open, texts, type World } from './support/s3-world.ts';
import { plant } from './support/trees.ts';

const PIECE = 8 * 2 ** 20;

const isCompletion = ({ method, query }: S3Request): boolean =>
  method === 'POST' && query.has('uploadId');

const startsIn = ({ s3 }: World): number =>
  s3.requests.filter(({ method, query }) => method === 'POST' && query.has('uploads')).length;

const partsIn = ({ s3 }: World): readonly number[] =>
  s3.requests.flatMap(({ query }) => Number(query.get('partNumber') ?? 0) || []);

/** A server that ends the first completion without an answer, and still assembles the object: the upload is gone. */
const assembling = (world: World, onLook: (look: number) => void): void => {
  const { s3 } = world;
  let looks = Number.NaN;
  s3.fault = (request) => {
    if (isCompletion(request) && Number.isNaN(looks)) {
      looks = 0;
      s3.uploads.clear();
      return 'cut';
    }
    if (request.method === 'HEAD' && !Number.isNaN(looks)) onLook(++looks);
    return undefined;
  };
};

test('an upload that the server still assembles when it does not answer is waited for', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  plant(join(folder, 'from'), { large: Buffer.alloc(PIECE + 1, 'z') });
  await run(local('from'), bucket('other'));
  const object = s3.objects?.get('other/large');
  assert.ok(object);
  s3.requests.length = 0;
  assembling(world, (look) => look === 5 && s3.objects?.set('t/large', object));
  const up = await run(local('from'), bucket('t'));
  assert.equal(up.filesCopied, 1);
  assert.equal(startsIn(world), 1, 'nothing is sent twice');
  assert.deepEqual(Object.keys(texts(s3)), ['other/large', 't/large'], 'the note is gone');
});

test('an upload of which nobody knows what became of it fails the move for now, not for good', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  plant(join(folder, 'from'), { large: Buffer.alloc(PIECE + 1, 'z') });
  assembling(world, () => {});
  assert.match(
    await failureOf(() => run(local('from'), bucket('t'))),
    /^EndpointUnavailable: target large: the server does not say what became of an upload/,
  );
  assert.equal((await run(local('from'), bucket('t'))).filesCopied, 1);
  assert.deepEqual(Object.keys(texts(s3)), ['t/large']);
});

test('an upload that the server has lost is sent again, part after part, and not for ever', async () => {
  for (const code of ['InvalidPart', 'NoSuchUpload']) {
    await using world = await open();
    const { s3, folder, run, bucket, local } = world;
    plant(join(folder, 'from'), { large: Buffer.alloc(2 * PIECE + 1, 'z') });
    let completions = 0;
    s3.fault = (request) => {
      if (!isCompletion(request) || ++completions > 1) return undefined;
      s3.requests.length = 0;
      return { code };
    };
    assert.equal((await run(local('from'), bucket('t'))).filesCopied, 1, code);
    assert.deepEqual(partsIn(world), [1, 2, 3]);
    assert.equal(s3.uploads.size, 0, 'nothing is left of the first one');
    assert.deepEqual(Object.keys(texts(s3)), ['t/large']);

    s3.fault = (request) => (isCompletion(request) ? { code } : undefined);
    assert.match(
      await failureOf(() => run(local('from'), bucket('u'))),
      /^EndpointUnavailable: target large: the server has lost the parts of an upload twice/,
    );
  }
});

test('an upload that is gone while its parts are sent is begun anew by the next run', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  plant(join(folder, 'from'), { large: Buffer.alloc(PIECE + 1, 'z') });
  s3.fault = ({ query }) =>
    query.get('partNumber') === '2' ? { code: 'NoSuchUpload' } : undefined;
  assert.match(
    await failureOf(() => run(local('from'), bucket('t'))),
    /^EndpointUnavailable: target large: bucket bkt: NoSuchUpload, no: the upload is gone/,
  );
  s3.uploads.clear();
  s3.fault = () => undefined;
  assert.equal((await run(local('from'), bucket('t'))).filesCopied, 1);
});
