import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FAILURES } from '../src/errors.ts';
import { type Line, startMover } from './support/process.ts';
import { contents, plant, scratch } from './support/trees.ts';

const BEFORE_NODE_24_4 = new URL('./support/before-node-24-4.ts', import.meta.url).pathname;

const orderText = (root: string, fields: object = {}): string =>
  JSON.stringify({
    from: { kind: 'local', root, path: 'from' },
    to: { kind: 'local', root, path: 'to' },
    progressSeconds: 0.05,
    ...fields,
  });

test('the program takes its order from standard input, and tells lines and a termination message', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), { a: 'hello', b: '-> a' });
  const terminationMessage = join(root.path, 'message');
  const mover = startMover(orderText(root.path, { terminationMessage }));
  assert.deepEqual(await mover.ended, { code: 0, signal: null });
  const last = mover.lines.at(-1);
  const { time: _, digest, seconds: _s, ...result } = last as Line;
  assert.match(String(digest), /^tree1:/);
  assert.deepEqual(result, {
    type: 'result',
    files: 1,
    bytes: 5,
    folders: 1,
    links: 1,
    skipped: 0,
    filesCopied: 1,
    bytesCopied: 5,
    deleted: 0,
    dryRun: false,
  });
  assert.deepEqual(JSON.parse(readFileSync(terminationMessage, 'utf8')), last);
  const progress = mover.lines.findLast(({ type }) => type === 'progress');
  assert.equal(progress?.percentage, 100);
  assert.deepEqual(contents(join(root.path, 'to')), { '': '', a: 'hello', b: 'link a' });
});

test('the program runs with every Node.js 24, also those before 24.4', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), { a: 'hello', b: '-> a' });
  const mover = startMover(orderText(root.path), { nodeArgs: ['--import', BEFORE_NODE_24_4] });
  assert.equal((await mover.ended).code, 0, JSON.stringify(mover.lines.at(-1)));
  // Backups that others have made agree with it.
  const digest = 'tree1:fccb1fba6ddc824705a72883f17f59032ee98882e0431f5af4ec99fd07f94e0b';
  assert.equal(mover.lines.at(-1)?.digest, digest);
});

test('each failure has its reason and exit code, and is in the termination message', async () => {
  using root = scratch();
  const terminationMessage = join(root.path, 'message');
  const file = join(root.path, 'order');
  writeFileSync(file, orderText(root.path, { terminationMessage }));
  const missing = startMover('', { file });
  assert.equal((await missing.ended).code, FAILURES.SourceMissing.exitCode);
  const { time: _, ...failure } = JSON.parse(readFileSync(terminationMessage, 'utf8'));
  assert.deepEqual(failure, {
    type: 'failure',
    reason: 'SourceMissing',
    message: `the source has no from in ${root.path}`,
    retryable: false,
    exitCode: 10,
  });
  const garbled = startMover('{');
  assert.equal((await garbled.ended).code, 2);
  assert.equal(garbled.lines[0]?.reason, 'InvalidOrder');
  const codes = Object.values(FAILURES).map(({ exitCode }) => exitCode);
  assert.equal(new Set(codes).size, codes.length, 'no two reasons share an exit code');
});

test('a failure is in the termination message, however long a name in it is as JSON', async () => {
  using root = scratch();
  const terminationMessage = join(root.path, 'message');
  const from = { kind: 'local', root: root.path, path: '\u0001名'.repeat(1500) };
  const mover = startMover(orderText(root.path, { from, terminationMessage }));
  await mover.ended;
  const { reason } = JSON.parse(readFileSync(terminationMessage, 'utf8'));
  assert.deepEqual([mover.lines.at(-1)?.reason, reason], ['InputOutput', 'InputOutput']);
});

test('SIGTERM cancels, with 143', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), { big: Buffer.alloc(200 * 2 ** 20, 'x') });
  const mover = startMover(orderText(root.path, { parallelism: 1 }), {
    onLine: ({ phase }) => {
      if (phase === 'copy') mover.child.kill('SIGTERM');
    },
  });
  assert.equal((await mover.ended).code, 143);
  const { reason, retryable } = mover.lines.at(-1) as Line;
  assert.deepEqual([reason, retryable], ['Cancelled', true]);
});

const UNSHARE = ['/usr/bin/unshare', '/bin/unshare'].find((path) => existsSync(path)) ?? 'false';

const inSmallDisk = (root: string, script: string) =>
  spawnSync(
    UNSHARE,
    ['-rm', 'sh', '-c', `mount -t tmpfs -o size=1m none "$0/disk" && ${script}`, root],
    {
      encoding: 'utf8',
    },
  );
const canMount = (() => {
  using root = scratch();
  plant(root.path, { 'disk/': undefined });
  return inSmallDisk(root.path, 'true').status === 0;
})();

test('a disk that is too small is told before, one that fills up when it does', {
  skip: !canMount,
}, () => {
  using root = scratch();
  plant(root.path, { 'disk/': undefined, 'from/big': Buffer.alloc(2 ** 21, 'x') });
  const main = new URL('../src/main.js', import.meta.url).pathname;
  const order = (path: string) =>
    JSON.stringify({
      from: { kind: 'local', root: root.path, path },
      to: { kind: 'local', root: join(root.path, 'disk'), path: 'to' },
    });
  const run = (path: string, more = '') => {
    writeFileSync(join(root.path, 'order'), order(path));
    const mover = `'${process.execPath}' '${main}' "$0/order"; echo $?; ls -A "$0/disk"`;
    const command = `${mover}${more && `; ${more}; ${mover}`}`;
    return inSmallDisk(root.path, command).stdout.trim().split('\n');
  };
  const before = run('from');
  assert.match(before[0] ?? '', /"reason":"DiskFull","message":"the target has \d+ bytes free/);
  assert.deepEqual(before.slice(1), ['21'], 'nothing was begun');
  // Each takes a block there, of which its size says nothing.
  plant(
    join(root.path, 'many'),
    Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`f${at}`, 'x'])),
  );
  const during = run('many');
  assert.ok(
    during.some((line) => /"reason":"DiskFull","message":"target .*ENOSPC/.test(line)),
    during.join('\n'),
  );
  assert.equal(during.at(-2), '21');
  assert.match(during.at(-1) ?? '', /^\.perigee-mover-/, 'no half copy under its name');
  const room = run('many', 'mount -o remount,size=16m "$0/disk"');
  assert.deepEqual(room.slice(-2), ['0', 'to'], 'it goes on when there is room');
  const { filesCopied } = JSON.parse(room.at(-3) ?? '{}');
  assert.ok(filesCopied > 0 && filesCopied < 600, `${filesCopied} of 600 files were missing`);
});
