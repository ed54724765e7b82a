import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { move } from '../src/move.ts';
import { processClock } from '../src/process-clock.ts';
import type { Progress } from '../src/progress/progress.ts';
import { orderOf } from './support/run.ts';
import { contents, scratch } from './support/trees.ts';

test('files that come when the scan has found none do not wait for threads that nobody started', async () => {
  using root = scratch();
  const from = join(root.path, 'from');
  mkdirSync(from);
  let isThere = false;
  const onProgress = ({ phase }: Progress): void => {
    if (phase !== 'copy' || isThere) return;
    isThere = true;
    writeFileSync(join(from, 'late'), 'hello');
  };
  const signal = AbortSignal.timeout(20_000);
  const result = await move(orderOf(root.path), { clock: processClock, signal, onProgress });
  assert.deepEqual([isThere, result.files, result.filesCopied], [true, 1, 1]);
  assert.deepEqual(contents(join(root.path, 'to')), { '': '', late: 'hello' });
});
