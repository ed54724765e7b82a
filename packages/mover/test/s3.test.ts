import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { move } from '../src/move.ts';
import { parseOrder } from '../src/order.ts';
import type { Progress } from '../src/progress/progress.ts';
import { partsOf } from '../src/s3/s3-part.ts';
import { failureOf } from './support/run.ts';
import type { S3Request } from './support/s3-server.ts';
import { clock, open, texts } from './support/s3-world.ts';
import { contents, plant } from './support/trees.ts';

const PIECE = 8 * 2 ** 20;

test('a tree goes to a bucket and back, with its digest, its names and its checksums', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  const large = Buffer.alloc(PIECE * 2 + 5, 'abc');
  const names = { a: 'one', 'deep/er/b': 'two', 'deep/ö +&=<%20>': 'three', zero: '', 'a-b': '4' };
  plant(join(folder, 'from'), { ...names, large });

  const up = await run(local('from'), bucket('dir/tree'));

  assert.deepEqual([up.files, up.filesCopied, up.bytesCopied], [6, 6, large.length + 12]);
  const { 'dir/tree/large': copied, ...small } = texts(s3);
  const expected = Object.entries(names).map(([name, text]) => [`dir/tree/${name}`, text]);
  assert.deepEqual(small, Object.fromEntries(expected));
  assert.equal(copied, large.toString());
  const sum = createHash('sha256').update('one').digest('hex');
  assert.equal(s3.objects?.get('dir/tree/a')?.metadata['perigee-sha256'], sum);

  const down = await run(bucket('dir/tree'), local('back'));
  assert.equal(down.digest, up.digest);
  assert.deepEqual(contents(join(folder, 'back')), contents(join(folder, 'from')));
});

test('what is there is not copied again, in either direction', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local, progress } = world;
  plant(join(folder, 'from'), { a: '1', 'd/b': '2', large: Buffer.alloc(PIECE + 1, 'x') });
  const first = await run(local('from'), bucket('t'));
  const again = await run(local('from'), bucket('t'));
  assert.deepEqual([again.filesCopied, again.bytesCopied, again.digest], [0, 0, first.digest]);
  assert.deepEqual([progress()?.percentage, progress()?.bytesDone], [100, first.bytes]);
  writeFileSync(join(folder, 'from/a'), '9');
  const changed = await run(local('from'), bucket('t'));
  assert.equal(changed.filesCopied, 1, 'of the same size, but with other bytes');
  assert.equal(texts(s3)['t/a'], '9');

  await run(bucket('t'), local('back'));
  s3.requests.length = 0;
  const back = await run(bucket('t'), local('back'));
  assert.deepEqual([back.filesCopied, back.digest], [0, changed.digest]);
  assert.ok(
    s3.requests.every(({ method, key }) => method === 'GET' && key === ''),
    'a listing tells that nothing changed',
  );
});

test('only sync deletes in a bucket, and no more than its limit', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  plant(join(folder, 'from'), { a: '1' });
  for (const key of ['t/a', 't/b', 't/c/d', 't/c/e', 'tx']) s3.put(key, 'old');
  await run(local('from'), bucket('t'));
  assert.deepEqual(Object.keys(texts(s3)).sort(), ['t/a', 't/b', 't/c/d', 't/c/e', 'tx']);
  const limit = { mode: 'sync', mostDeletions: 1 };
  assert.match(
    await failureOf(() => run(local('from'), bucket('t'), limit)),
    /^TooManyDeletions: 2 entries of the target would be deleted, and no more than 1 may be/,
  );
  assert.equal((await run(local('from'), bucket('t'), { mode: 'sync' })).deleted, 2);
  assert.deepEqual(texts(s3), { 't/a': '1', tx: 'old' });

  plant(join(folder, 'to'), { a: '0', mine: 'x', 'c/d': 'y' });
  assert.equal((await run(bucket('t'), local('to'), { mode: 'sync' })).deleted, 2);
  assert.deepEqual(contents(join(folder, 'to')), { '': '', a: '1' });
});

test('one object is a file, and goes into a folder under its own name', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  s3.put('models/m.bin', 'weights');
  s3.put('models/m.bin.txt', 'notes');
  const one = await run(bucket('models/m.bin'), local(''));
  assert.equal(one.files, 1);
  assert.deepEqual(contents(folder), { '': '', 'm.bin': 'weights' });
  await run(bucket('models/m.bin'), local('x/y'));
  assert.equal(readFileSync(join(folder, 'x/y'), 'utf8'), 'weights');
  assert.match(
    await failureOf(() => run(bucket('models/m'), local('n'))),
    /^SourceMissing: the source has nothing at http.*\/bkt\/models\/m$/,
  );
});

test('a server that is overloaded or cuts connections is asked again, and that is counted', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local, progress } = world;
  plant(join(folder, 'from'), { a: 'one', large: Buffer.alloc(PIECE + 9, 'y') });
  const met = new Set<string>();
  const once = (request: { method: string; key: string; query: URLSearchParams }, tag: string) => {
    const name = `${tag} ${request.method} ${request.key} ${request.query.get('partNumber')}`;
    if (met.has(name)) return false;
    met.add(name);
    return true;
  };
  s3.fault = (request) => {
    if (request.method === 'PUT' && once(request, 'cut')) return 'cut';
    return request.method === 'HEAD' && once(request, '503') ? 503 : undefined;
  };
  const up = await run(local('from'), bucket('t'));
  assert.ok((up.retries ?? 0) >= 4, `${up.retries} retries`);
  assert.match(progress()?.retryReason ?? '', /SlowDown|http:.*no connection|cut off|closed/);
  s3.fault = (request) => (request.key !== '' && once(request, 'down') ? 'cut' : undefined);
  const down = await run(bucket('t'), local('back'));
  assert.equal(down.digest, up.digest);
  assert.ok((down.retries ?? 0) >= 2);
  s3.fault = () => 503;
  const gone = await failureOf(() => run(bucket('t'), local('never')));
  assert.match(gone, /^EndpointUnavailable: source s3:\/\/bkt\/t: bucket bkt: SlowDown/);
});

test('an upload that was cut goes on with the parts that are there', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local, progress } = world;
  plant(join(folder, 'from'), { large: Buffer.alloc(PIECE * 3, 'z') });
  s3.fault = ({ query }) => (query.get('partNumber') === '3' ? 'quota' : undefined);
  const full = await failureOf(() => run(local('from'), bucket('t')));
  assert.match(full, /^DiskFull: target large: bucket bkt: QuotaExceeded/);
  assert.equal(s3.objects?.has('t/large'), false, 'no half object under its name');
  const [stored] = [...s3.uploads.values()].map((parts) => [...parts.keys()]);
  // The one that was on its way beside the third may have been given up.
  const missing = [1, 2, 3].filter((number) => !stored?.includes(number));
  assert.ok(missing.includes(3) && missing.length < 3, `${missing} are missing`);
  s3.fault = () => undefined;
  s3.requests.length = 0;
  await run(local('from'), bucket('t'));
  const parts = s3.requests.filter(
    ({ method, query }) => method === 'PUT' && query.has('partNumber'),
  );
  assert.deepEqual(parts.map(({ query }) => Number(query.get('partNumber'))).sort(), missing);
  assert.equal(progress()?.bytesDone, PIECE * 3, 'parts that are there count as done');
  assert.deepEqual(Object.keys(texts(s3)), ['t/large'], 'the note of the upload is gone');
});

test('an upload of what has changed since is given up, when the tree is there', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  plant(join(folder, 'from'), { large: Buffer.alloc(PIECE * 3, 'z') });
  s3.fault = ({ query }) => (query.get('partNumber') === '3' ? 'quota' : undefined);
  assert.match(await failureOf(() => run(local('from'), bucket('t'))), /^DiskFull/);
  assert.equal(s3.uploads.size, 1);
  s3.fault = () => undefined;
  writeFileSync(join(folder, 'from/large'), Buffer.alloc(PIECE * 3, 'y'));
  await run(local('from'), bucket('t'));
  assert.deepEqual([s3.uploads.size, Object.keys(texts(s3))], [0, ['t/large']]);
});

test('an upload whose completion was done, but not told, is complete', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  plant(join(folder, 'from'), { large: Buffer.alloc(PIECE + 1, 'z') });
  const isCompletion = ({ method, query }: S3Request) => method === 'POST' && query.has('uploadId');
  let completions = 0;
  s3.fault = (request) => (isCompletion(request) && completions++ === 0 ? 'lost' : undefined);
  const up = await run(local('from'), bucket('t'));
  assert.deepEqual([completions, up.filesCopied], [2, 1]);
  assert.deepEqual(Object.keys(texts(s3)), ['t/large'], 'the note of the upload is gone');

  const answers = ['<Error><Code>InternalError</Code></Error>', ''];
  s3.fault = (request) => {
    const text = isCompletion(request) ? answers.shift() : undefined;
    return text === undefined ? undefined : { text };
  };
  plant(join(folder, 'other'), { large: Buffer.alloc(PIECE + 1, 'y') });
  assert.equal((await run(local('other'), bucket('u'))).retries, 2);
  assert.equal(texts(s3)['u/large']?.[0], 'y');
});

test('errors that may pass are asked about again, all others are told at once', async (t) => {
  for (const [code, reason] of [
    ['BadDigest', undefined],
    ['RequestTimeout', undefined],
    ['OperationAborted', undefined],
    ['SlowDown', undefined],
    ['AccessDenied', 'PermissionDenied'],
    ['QuotaExceeded', 'DiskFull'],
  ] as const) {
    await t.test(code, async () => {
      await using world = await open();
      const { s3, folder, run, bucket, local } = world;
      plant(join(folder, 'from'), { a: '1', large: Buffer.alloc(PIECE + 1, 'z') });
      const met = new Map<string, number>();
      s3.fault = ({ method, key, query }) => {
        const name = `${key} ${query.get('partNumber')}`;
        if (method !== 'PUT') return undefined;
        met.set(name, (met.get(name) ?? 0) + 1);
        return reason === undefined && met.get(name) === 2 ? undefined : { code };
      };
      const told = await run(local('from'), bucket('t')).catch((error) => error);
      if (reason === undefined) {
        assert.equal(told.retries, 4, 'two parts, a note and an object');
        assert.deepEqual(Object.keys(texts(s3)).sort(), ['t/a', 't/large']);
      } else {
        assert.equal(told.reason, reason);
        assert.ok([...met.values()].every((count) => count === 1));
      }
    });
  }
});

test('a listing that is none, or has no way to go on, is not taken for an empty bucket', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  plant(join(folder, 'to'), { a: '1' });
  for (const [text, told] of [
    ['<html>Please log in</html>', /^EndpointRefused: .*something that is no listing$/],
    ['', /^EndpointRefused: .*something that is no listing$/],
    [
      '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>',
      /^EndpointRefused: .*lists only a part, and not how to go on$/,
    ],
  ] as const) {
    s3.fault = () => ({ text });
    const serverCode = await failureOf(() => run(bucket(''), local('to'), { mode: 'sync' }));
    assert.match(serverCode, told);
  }
  assert.deepEqual(contents(join(folder, 'to')), { '': '', a: '1' });
});

test('a thread that cannot open its ends ends the move, with the reason', async () => {
  await using world = await open();
  const { folder, bucket, local } = world;
  plant(join(folder, 'from'), { a: '1' });
  const order = parseOrder(JSON.stringify({ from: local('from'), to: bucket('t'), flush: false }));
  const onProgress = ({ phase }: Progress): void => {
    if (phase === 'copy') rmSync(join(folder, '../secret'), { force: true });
  };
  const { signal } = new AbortController();
  assert.match(
    await failureOf(() => move(order, { clock, signal, onProgress })),
    /^PermissionDenied: the secret key of the target cannot be read: ENOENT$/,
  );
});

test('what is wrong is said, without the credentials', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  s3.put('t/a', 'x');
  const wrong = join(folder, 'wrong');
  writeFileSync(wrong, 'guessed-secret');
  const files = { accessKeyFile: join(folder, '../access'), secretKeyFile: wrong };
  for (const [from, expected] of [
    [
      bucket('t', { credentials: files }),
      /^PermissionDenied: source s3:\/\/bkt\/t: bucket bkt: SignatureDoesNotMatch, the secret key does not belong/,
    ],
    [
      bucket('t', { credentials: { ...files, accessKeyFile: wrong } }),
      /^PermissionDenied: .*InvalidAccessKeyId, the access key is not known/,
    ],
    [
      bucket('t', { credentials: { ...files, secretKeyFile: '/nowhere' } }),
      /^PermissionDenied: the secret key of the source cannot be read: ENOENT$/,
    ],
    [
      bucket('t', { credentials: undefined }),
      /^PermissionDenied: .*AccessDenied.*, asked without credentials$/,
    ],
    [bucket('t', { bucket: 'other' }), /^SourceMissing: .*NoSuchBucket/],
    [
      bucket('t', { region: 'us-east-1' }),
      /^EndpointRefused: .*bucket bkt is in the region eu-test-1, not in us-east-1: set the option region/,
    ],
    [
      bucket('t', { endpoint: 'http://127.0.0.1:1' }),
      /^EndpointUnavailable: .*http:\/\/127.0.0.1:1: no connection: ECONNREFUSED, nothing listens/,
    ],
  ] as const) {
    const serverCode = await failureOf(() => run(from, local('to')));
    assert.match(serverCode, expected);
    assert.doesNotMatch(serverCode, /guessed-secret|wJalr/);
  }
  assert.equal(existsSync(join(folder, 'to')), false);
  s3.objects = undefined;
  assert.match(
    await failureOf(() => run(bucket('t'), local('to'))),
    /^SourceMissing: .*NoSuchBucket/,
  );
  assert.match(
    await failureOf(() => run(local('wrong'), bucket('t'))),
    /^TargetMissing: .*NoSuchBucket/,
  );
});

test('an object that is replaced, or is not what was recorded of it, is found', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  s3.put('t/large', Buffer.alloc(PIECE + 3, '1'));
  s3.fault = ({ headers }) => {
    if (headers.range?.startsWith('bytes=0-')) s3.put('t/large', Buffer.alloc(PIECE + 3, '2'));
    return undefined;
  };
  const replaced = await failureOf(() => run(bucket('t'), local('to')));
  assert.match(replaced, /^SourceChanged: /);
  s3.put('gone/a', '1');
  s3.fault = ({ key }) => {
    if (key === 'gone/a') s3.objects?.delete(key);
    return undefined;
  };
  assert.match(
    await failureOf(() => run(bucket('gone'), local('to'))),
    /^SourceChanged: source a: the object was deleted/,
  );
  s3.fault = () => 'no ranges';
  s3.put('t/large', Buffer.concat([Buffer.alloc(PIECE, '1'), Buffer.from('end')]));
  assert.match(
    await failureOf(() => run(bucket('t'), local('to'))),
    /^EndpointRefused: source large: the server sends another part of the object/,
  );
  s3.fault = () => undefined;
  s3.put('u/a', 'decayed', {
    'perigee-sha256': createHash('sha256').update('whole').digest('hex'),
  });
  assert.match(
    await failureOf(() => run(bucket('u'), local('to2'))),
    /^VerificationFailed: source a is not what was recorded of it: its sha256 is/,
  );
  s3.objects?.set('v/a', {
    bytes: Buffer.from('x'),
    etag: '0'.repeat(32),
    metadata: {},
    modifiedMs: 0,
  });
  assert.match(
    await failureOf(() => run(bucket('v'), local('to3'))),
    /^VerificationFailed: .*its md5 is/,
  );
  assert.equal(existsSync(join(folder, 'to')), false);
});

test('names that lead out of the tree, and what a bucket cannot hold', async () => {
  await using world = await open();
  const { s3, folder, run, bucket, local } = world;
  for (const key of ['t/../../etc/x', 't/a//b', 't/./a']) {
    s3.objects?.clear();
    s3.put(key, 'x');
    assert.match(
      await failureOf(() => run(bucket('t'), local('to'))),
      /^PathOutside: source t\//,
      key,
    );
  }
  s3.objects?.clear();
  s3.put('t/dir/', '');
  s3.put('t/dir/a', '1');
  assert.equal((await run(bucket('t/'), local('ok'))).files, 1, 'markers of folders are no files');
  plant(join(folder, 'from'), { a: '1' });
  symlinkSync('a', join(folder, 'from/link'));
  assert.match(
    await failureOf(() => run(local('from'), bucket('n'))),
    /^SpecialFile: source link: it is a link/,
  );
  const skipped = await run(local('from'), bucket('n'), { special: 'skip' });
  assert.deepEqual([skipped.skipped, texts(s3)['n/a']], [1, '1']);
});

test('no thread is started for flushes that a bucket does not have', () => {
  const from = { kind: 'local', root: '/data' };
  const threads = (to: object, more: object = {}) =>
    parseOrder(JSON.stringify({ from, to, ...more })).parallelism;
  const bucket = { kind: 's3', bucket: 'bkt' };
  assert.equal(threads(bucket), threads(bucket, { flush: false }));
  assert.ok(threads(bucket) <= threads(from));
});

test('an upload has at most 10,000 parts, whatever the size', () => {
  assert.equal(partsOf(PIECE + 1).length, 2);
  for (const size of [80 * 2 ** 30, 5 * 2 ** 40]) {
    const parts = partsOf(size);
    assert.ok(parts.length <= 10_000);
    assert.equal(
      parts.reduce((sum, { length }) => sum + length, 0),
      size,
    );
    assert.ok(parts.every(({ offset }) => offset % PIECE === 0));
  }
});
