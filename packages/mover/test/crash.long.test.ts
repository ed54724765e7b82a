import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startMover } from './support/process.ts';
import { age, contents, look, plant, scratch } from './support/trees.ts';
import { unfinished } from './support/unfinished.ts';

const PIECE = 8 * 2 ** 20;
const KILLS = 12;

const filled = (length: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4)
    bytes.writeInt32LE(Math.imul(at + seed, 0x9e3779b9), at);
  return bytes;
};

const manyFiles = (seed: number) => ({
  ...Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`d${at % 7}/f${at}`, filled(3000 + at, seed + at)]),
  ),
  'big/one': filled(9 * PIECE + 1, seed),
  'big/two': filled(4 * PIECE, seed + 1),
});

/** Runs an order, and kills it once it has copied so much, if it gets there. */
const runUntil = async (order: object, bytes: number) => {
  const mover = startMover(JSON.stringify(order), {
    onLine: ({ phase, bytesDone }) => {
      if (phase === 'copy' && Number(bytesDone) >= bytes) mover.child.kill('SIGKILL');
    },
  });
  const { signal, code } = await mover.ended;
  return { wasKilled: signal === 'SIGKILL', code, last: mover.lines.at(-1) };
};

test('killed again and again, a copy goes on where it was, and has its name only when it is whole', async () => {
  using root = scratch();
  const from = join(root.path, 'from');
  plant(from, manyFiles(1));
  const place = (path: string) => ({ kind: 'local', root: root.path, path });
  const order = { from: place('from'), to: place('to'), parallelism: 2, progressSeconds: 0.05 };
  const total = 9 * PIECE + 1 + 4 * PIECE;
  let kills = 0;
  for (let round = 0; round < KILLS; round++) {
    const before = unfinished(root.path);
    const { wasKilled } = await runUntil(order, (total * round) / KILLS);
    if (!wasKilled) break;
    kills++;
    assert.equal(existsSync(join(root.path, 'to')), false, 'no half copy under the final name');
    const after = unfinished(root.path);
    for (const [path, ino] of before.whole) {
      assert.equal(after.whole.get(path), ino, `${path} was not copied again`);
    }
    // The notes of a file go when it is whole.
    const hasGone = [...before.pieces].filter(
      ([name, count]) => (after.pieces.get(name) ?? 0) < count,
    );
    const hasCome = after.whole.size - before.whole.size;
    assert.ok(hasGone.length <= hasCome, `pieces of ${hasGone.length} files are gone`);
  }
  assert.ok(kills >= 3, `only ${kills} runs were killed in the middle`);

  const there = existsSync(join(root.path, 'to')) ? undefined : unfinished(root.path);
  const { code, last } = await runUntil(order, Number.POSITIVE_INFINITY);
  assert.equal(code, 0, JSON.stringify(last));
  assert.deepEqual(look(join(root.path, 'to')), look(from));
  assert.deepEqual(readdirSync(root.path).sort(), ['from', 'to'], 'nothing is left behind');
  if (there) {
    const pieces = [...there.pieces.values()].reduce((sum, count) => sum + count, 0);
    // The last piece of a file is smaller than it counts.
    const missing = Number(last?.bytes) - there.bytes - (pieces - there.pieces.size) * PIECE;
    assert.ok(
      Number(last?.bytesCopied) <= Math.max(0, missing),
      'only what was missing was copied',
    );
  }
});

test('killed in the middle of a sync, every file is either the old or the new one', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), manyFiles(1));
  plant(join(root.path, 'claim'), { ...manyFiles(2), 'gone/x': 'x' });
  for (const [path] of look(join(root.path, 'claim'))) age(join(root.path, 'claim', path), 1e9);
  const [wanted, old] = [contents(join(root.path, 'from')), contents(join(root.path, 'claim'))];
  const order = {
    from: { kind: 'local', root: root.path, path: 'from' },
    to: { kind: 'local', root: join(root.path, 'claim') },
    mode: 'sync',
    parallelism: 3,
    progressSeconds: 0.05,
  };
  let kills = 0;
  for (let round = 0; round < 5; round++) {
    const { wasKilled } = await runUntil(order, (round * 13 * PIECE) / 5);
    if (!wasKilled) break;
    kills++;
    for (const [path, now] of Object.entries(contents(join(root.path, 'claim')))) {
      assert.ok(now === wanted[path] || now === old[path], `${path} is whole`);
    }
  }
  assert.ok(kills >= 2, `only ${kills} runs were killed in the middle`);
  const { last } = await runUntil(order, Number.POSITIVE_INFINITY);
  assert.equal(last?.type, 'result', JSON.stringify(last));
  assert.deepEqual(contents(join(root.path, 'claim')), wanted);
  assert.deepEqual(
    readdirSync(join(root.path, 'claim')).sort(),
    readdirSync(join(root.path, 'from')).sort(),
  );
  assert.equal(readFileSync(join(root.path, 'claim/big/one')).length, 9 * PIECE + 1);
});
