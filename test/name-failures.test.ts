import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = new URL('..', import.meta.url).pathname;

/** Runs these files as `npm test` runs ours. */
const runTests = (files: { readonly [name: string]: string }) => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-failures-'));
  try {
    for (const [name, body] of Object.entries(files)) writeFileSync(join(folder, name), body);
    const reporter = `--test-reporter=${join(ROOT, 'test/name-failures.ts')}`;
    const { status, stdout } = spawnSync(process.execPath, [reporter, '--test', '*.test.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    return { status, stdout };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const GOOD = `import { test } from 'node:test';\ntest('good', () => {});`;

test('a failing run ends with the names of what failed', () => {
  const { status, stdout } = runTests({
    'good.test.mjs': GOOD,
    'within.test.mjs': `import { suite, test } from 'node:test';
      suite('outer', () => {
        test('good', () => {});
        test('bad', () => { throw new Error('no'); });
      });`,
    'whole.test.mjs': `process.exit(3);`,
  });
  assert.equal(status, 1);
  const [, names] = stdout.split('\nFailed:\n');
  assert.deepEqual(names?.trim().split(/\n */).sort(), [
    'whole.test.mjs: whole.test.mjs',
    'within.test.mjs: bad',
  ]);
});

test('a run without failures ends with its counts', () => {
  const { status, stdout } = runTests({ 'good.test.mjs': GOOD });
  assert.equal(status, 0);
  assert.match(stdout, /ℹ pass 1\n/);
  assert.doesNotMatch(stdout, /Failed/);
});
