import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { MoverClock } from '../src/clock.ts';
import { move } from '../src/move.ts';
import { processClock } from '../src/process-clock.ts';
import { failureOf, orderOf, runOrder } from './support/run.ts';
import { contents, plant, scratch } from './support/trees.ts';

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`d/f${at}`, 'mine']));

/** Does something to the source after it was looked at, and before all of it is copied. */
const moveWhile = (root: string, change: () => void) => {
  let turns = 0;
  const clock: MoverClock = {
    ...processClock,
    yield: async () => {
      turns++;
      if (turns === 2) change();
    },
  };
  const { signal } = new AbortController();
  return move(orderOf(root), { clock, signal, onProgress: () => {} });
};

test('pipes and devices are refused before anything is touched, or left out', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), { a: 'one' });
  execFileSync('mkfifo', [join(root.path, 'from/pipe')]);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('mknod', [join(root.path, 'from/device'), 'c', '1', '5']);
  assert.match(await failureOf(() => runOrder(orderOf(root.path))), /^SpecialFile: source /);
  assert.equal(existsSync(join(root.path, 'to')), false);
  const result = await runOrder(orderOf(root.path, { special: 'skip' }));
  assert.deepEqual([result.files, result.skipped], [1, isRoot ? 2 : 1]);
  assert.deepEqual(contents(join(root.path, 'to')), { '': '', a: 'one' });
});

test('a pipe that takes the place of a file makes nobody wait', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), many(300));
  const change = (): void => {
    for (let at = 0; at < 300; at++) rmSync(join(root.path, `from/d/f${at}`));
    for (let at = 0; at < 300; at += 50) {
      execFileSync('mkfifo', [join(root.path, `from/d/f${at}`)]);
    }
  };
  const told = await failureOf(() => moveWhile(root.path, change));
  assert.match(told, /^(SourceChanged|SpecialFile): source d/);
  assert.equal(existsSync(join(root.path, 'to')), false);
});

test('a link that takes the place of a folder leads nobody out of the source', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), many(300));
  const secret = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, 'secret']));
  plant(join(root.path, 'outside'), secret);
  const change = (): void => {
    renameSync(join(root.path, 'from/d'), join(root.path, 'from/e'));
    symlinkSync('../outside', join(root.path, 'from/d'));
  };
  const told = await failureOf(() => moveWhile(root.path, change));
  assert.match(told, /^(SourceChanged|SymlinkOutside): source /);
  assert.equal(existsSync(join(root.path, 'to')), false);
  const found = execFileSync('grep', ['-rlc', 'secret', root.path], { encoding: 'utf8' });
  assert.ok(
    found.split('\n').every((path) => path === '' || path.startsWith(join(root.path, 'outside'))),
    found,
  );
});
