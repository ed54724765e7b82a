import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const RUN = `
  import { runFiles } from '${new URL('./run-files.ts', import.meta.url).href}';
  await runFiles(process.argv.slice(2), 2);`;

/** A folder with these files, and the program that runs them as `npm test` runs ours. */
const testFolder = (files: { readonly [name: string]: string }) => {
  const cwd = mkdtempSync(join(tmpdir(), 'perigee-run-files-'));
  for (const [name, body] of Object.entries(files)) writeFileSync(join(cwd, name), body);
  writeFileSync(join(cwd, 'run.mjs'), RUN);
  return {
    run: ['run.mjs', ...Object.keys(files)],
    options: { cwd, env: { PATH: process.env.PATH } },
    [Symbol.dispose]: () => rmSync(cwd, { recursive: true, force: true }),
  };
};

const runTests = (files: { readonly [name: string]: string }) => {
  using folder = testFolder(files);
  const { status, stdout } = spawnSync(process.execPath, folder.run, {
    ...folder.options,
    encoding: 'utf8',
  });
  return { status, stdout };
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

test('a file is reported when it ends, and not when those before it have ended', async () => {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  await using server = createServer((_, response) => promise.then(() => response.end()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  using folder = testFolder({
    'first.test.mjs': `import { test } from 'node:test';
      test('waits', () => fetch('http://127.0.0.1:${port}'));`,
    'second.test.mjs': GOOD,
  });
  const child = spawn(process.execPath, folder.run, { ...folder.options, stdio: 'pipe' });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes('✔ good')) release();
  }
  assert.match(output, /^second.test.mjs, 1 of 2 .*\n✔ good.*\nfirst.test.mjs, 2 of 2 .*\n✔ waits/);
});

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
