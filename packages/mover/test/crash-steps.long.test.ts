import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { MoveResult } from '../src/move-tree.ts';
import { parseOrder } from '../src/order.ts';
import { startMover } from './support/process.ts';
import { runOrder } from './support/run.ts';
import { startS3 } from './support/s3-server.ts';
import { ACCESS_KEY, SECRET_KEY } from './support/s3-signature.ts';
import { age, contents, look, plant, scratch } from './support/trees.ts';
import { unfinished } from './support/unfinished.ts';

const PIECE = 8 * 2 ** 20;
const STEPS = new URL('./support/durable-steps.ts', import.meta.url).pathname;
const AT_ONCE = 3;

interface Step {
  readonly at: string;
  readonly call: string;
}

const tree = {
  a: 'one',
  'd/b': 'two',
  'd/l': '-> b',
  e: undefined,
  large: Buffer.alloc(PIECE + 9, 'large '),
};
const BYTES = 3 + 3 + PIECE + 9;

const orderIn = (folder: string, more: object = {}): string => {
  const place = (path: string) => ({ kind: 'local', root: folder, path });
  const manifest = { place: place('manifest.json') };
  const order = { from: place('from'), to: place('to'), parallelism: 1, manifest, ...more };
  return JSON.stringify(order);
};

/** All steps of a move, without most of those in the middle of the same back and forth. */
const stepsOf = async (folder: string, order: string): Promise<readonly Step[]> => {
  const file = join(folder, 'steps');
  const env = { MOVER_STEPS: file };
  const mover = startMover(order, { nodeArgs: ['--import', STEPS], env });
  assert.equal((await mover.ended).code, 0, JSON.stringify(mover.lines.at(-1)));
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return ['main', 'worker'].flatMap((thread) => {
    const steps = lines
      .filter((line) => line.startsWith(`${thread} `))
      .map((line) => {
        const [, number = '', call = ''] = line.split(' ');
        return { at: `${thread} ${number}`, call };
      });
    return steps.filter(({ call }, at) => {
      const isAlike = [-4, -2, 2, 4].every((by) => steps[at + by]?.call === call);
      return !isAlike || at % 20 === 0;
    });
  });
};

/** Kills an order right before a step. */
const killAt = async (order: string, { at }: Step): Promise<boolean> => {
  const mover = startMover(order, { nodeArgs: ['--import', STEPS], env: { MOVER_KILL: at } });
  const { signal, code } = await mover.ended;
  // Threads meet in another order each time, so that a step may be one too far.
  assert.ok(signal === 'SIGKILL' || code === 0, JSON.stringify(mover.lines.at(-1)));
  return signal === 'SIGKILL';
};

/** The same order, given again. */
const finish = (order: string): Promise<MoveResult> => runOrder(parseOrder(order));

/** Does something for each step, some of them at a time. */
const forEach = async <T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> => {
  const left = all.values();
  let hasFailed = false;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const one of left) {
        if (hasFailed) return;
        await run(one).catch((error) => {
          hasFailed = true;
          throw error;
        });
      }
    }),
  );
};

test('killed before each single step, a new tree has its name only when it is whole, and nothing is copied twice', async () => {
  using first = scratch();
  plant(join(first.path, 'from'), tree);
  const steps = await stepsOf(first.path, orderIn(first.path));
  for (const call of ['mkdirSync', 'symlinkSync', 'readSync', 'renameSync', 'rmdirSync']) {
    assert.ok(
      steps.some((step) => step.call === call),
      `${call} is a step`,
    );
  }
  let kills = 0;
  await forEach(steps, async (step) => {
    using root = scratch();
    const [from, to, manifest] = ['from', 'to', 'manifest.json'].map((name) =>
      join(root.path, name),
    ) as [string, string, string];
    plant(from, tree);
    const order = orderIn(root.path);
    const wasKilled = await killAt(order, step);
    if (wasKilled) kills++;
    const where = `killed before ${step.at} ${step.call}`;
    const isThere = existsSync(to);
    if (isThere) assert.deepEqual(look(to), look(from), `${where}: only a whole tree has the name`);
    if (existsSync(manifest)) {
      assert.ok(isThere, `${where}: a manifest is of a tree that is there`);
      JSON.parse(readFileSync(manifest, 'utf8'));
    }
    const { bytes, pieces } = unfinished(root.path);
    // The notes of a file go when it has its name. One alone may be that of the short piece.
    const notes = bytes > PIECE ? 0 : [...pieces.values()].reduce((sum, count) => sum + count, 0);
    const noted = notes === 2 ? PIECE + 9 : notes * 9;
    const { bytesCopied } = await finish(order);
    const most = isThere ? 0 : BYTES - bytes - noted;
    assert.ok(bytesCopied <= most, `${where}: ${bytesCopied} bytes were copied, not ${most}`);
    assert.deepEqual(look(to), look(from), where);
    assert.deepEqual(readdirSync(root.path).sort(), ['from', 'manifest.json', 'to'], where);
  });
  assert.ok(kills > steps.length * 0.9, `${kills} of ${steps.length} steps were reached`);
});

test('killed before each single step of a sync, every file is the old or the new one', async () => {
  const now = { 'd/b': 'new', 'd/c': '-> b', x: 'file' };
  const before = { 'd/b': 'old', 'd/c': '-> a', 'd/gone': 'gone', 'x/y': 'folder' };
  const plantIn = (folder: string): void => {
    plant(join(folder, 'from'), now);
    plant(join(folder, 'to'), before);
    age(join(folder, 'to/d/b'), 1e9);
  };
  using first = scratch();
  plantIn(first.path);
  const [wanted, old] = [
    contents(join(first.path, 'from')),
    contents(join(first.path, 'to')),
  ] as const;
  const steps = await stepsOf(first.path, orderIn(first.path, { mode: 'sync' }));
  await forEach(steps, async (step) => {
    using root = scratch();
    plantIn(root.path);
    const order = orderIn(root.path, { mode: 'sync' });
    await killAt(order, step);
    const where = `killed before ${step.at} ${step.call}`;
    for (const [path, is] of Object.entries(contents(join(root.path, 'to')))) {
      assert.ok(is === wanted[path] || is === old[path], `${where}: ${path} is ${is}`);
    }
    const manifest = join(root.path, 'manifest.json');
    if (existsSync(manifest)) assert.deepEqual(contents(join(root.path, 'to')), wanted, where);
    await finish(order);
    assert.deepEqual(contents(join(root.path, 'to')), wanted, where);
    assert.deepEqual(readdirSync(root.path).sort(), ['from', 'manifest.json', 'to'], where);
  });
});

test('killed before and after each request to a bucket, objects are whole, and no part is sent twice', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), { a: 'one', large: Buffer.alloc(2 * PIECE + 9, 'large ') });
  const files = { accessKeyFile: join(root.path, 'id'), secretKeyFile: join(root.path, 'key') };
  writeFileSync(files.accessKeyFile, ACCESS_KEY);
  writeFileSync(files.secretKeyFile, SECRET_KEY);
  const orderTo = (endpoint: string): string => {
    const s3 = { kind: 's3', endpoint, region: 'eu-test-1', bucket: 'bkt', credentials: files };
    return JSON.stringify({
      from: { kind: 'local', root: root.path, path: 'from' },
      to: { ...s3, path: 't' },
      manifest: { place: { ...s3, path: 'manifest.json' } },
      parallelism: 1,
    });
  };
  const count = await (async () => {
    await using s3 = await startS3();
    await finish(orderTo(s3.endpoint));
    return s3.requests.length;
  })();
  assert.ok(count > 8, `${count} requests`);
  const moments = Array.from({ length: count }, (_, at) => [at, 'before'] as const).flatMap(
    ([at]) => [[at, 'before'] as const, [at, 'after'] as const],
  );
  await forEach(moments, async ([at, when]) => {
    await using s3 = await startS3();
    const mover = startMover(orderTo(s3.endpoint));
    s3.fault = () => {
      if (s3.requests.length <= at) return undefined;
      mover.child.kill('SIGKILL');
      return when === 'before' ? 'cut' : undefined;
    };
    await mover.ended;
    const where = `killed ${when} request ${at}: ${s3.requests[at]?.method} ${s3.requests[at]?.key}`;
    const { objects } = s3;
    const large = objects?.get('t/large');
    if (large) assert.equal(large.bytes.length, 2 * PIECE + 9, where);
    if (objects?.has('manifest.json')) assert.ok(large && objects.has('t/a'), where);
    const sent = [...(s3.uploads.values().next().value?.keys() ?? [])];
    s3.fault = () => undefined;
    s3.requests.length = 0;
    await finish(orderTo(s3.endpoint));
    const again = s3.requests.flatMap(({ query }) => Number(query.get('partNumber') ?? 0) || []);
    assert.deepEqual(
      again.filter((part) => sent.includes(part)),
      [],
      `${where}: parts ${again} were sent, and ${sent} were there`,
    );
    if (large) assert.deepEqual(again, [], where);
    assert.equal(s3.objects?.get('t/large')?.bytes.length, 2 * PIECE + 9, where);
    assert.equal(s3.objects?.get('t/a')?.bytes.toString(), 'one', where);
    assert.equal(s3.objects?.has('manifest.json'), true, where);
    const beside = [...(s3.objects?.keys() ?? [])].filter((key) => key.includes('.perigee-mover'));
    assert.deepEqual(beside, [], `${where}: no note is left`);
  });
});
