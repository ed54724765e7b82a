import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const RUN = `
  import { runFiles } from '${new URL('./run-files.ts', import.meta.url).href}';
  await runFiles(process.argv.slice(2), 2);`;

/** Runs these files as `npm test` runs ours. */
const runTests = (files: { readonly [name: string]: string }) => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-run-files-'));
  try {
    for (const [name, body] of Object.entries(files)) writeFileSync(join(folder, name), body);
    writeFileSync(join(folder, 'run.mjs'), RUN);
    const { status, stdout } = spawnSync(process.execPath, ['run.mjs', ...Object.keys(files)], {
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

const MISSING = 'set PERIGEE_TEST_KUBECONFIG to a throw-away cluster';

test('a run ends with what was skipped, why, and the command that runs it', () => {
  const { status, stdout } = runTests({
    'peer.test.mjs': `import { suite, test } from 'node:test';
      test('one', { skip: '${MISSING}' }, () => {});
      suite('two', { skip: '${MISSING}' }, () => { test('within', () => {}); });`,
    'root.test.mjs': `import { test } from 'node:test';
      test('three', { skip: 'it needs root' }, () => {});
      test('four', { skip: true }, () => {});`,
  });
  assert.equal(status, 0);
  const [, skipped] = stdout.split('\nSkipped:\n');
  assert.equal(
    skipped,
    [
      `  ${MISSING}`,
      '    peer.test.mjs (2)',
      '    to run: npm run test:peers',
      '  it needs root',
      '    root.test.mjs (1)',
      '    to run: npx node --test root.test.mjs',
      '  no reason is given',
      '    root.test.mjs (1)',
      '    to run: npx node --test root.test.mjs',
      '',
    ].join('\n'),
  );
});
