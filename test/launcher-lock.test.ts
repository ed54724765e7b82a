import assert from 'node:assert/strict';
import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';

const LAUNCHER = new URL('../perigee', import.meta.url).pathname;
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const INSTALLING_NPM = `#!/bin/sh
mkdir -p node_modules/node-this-platform/bin
ln -sf "$REAL_NODE" node_modules/node-this-platform/bin/node
: >node_modules/.package-lock.json
`;

/** A checkout that is yet to be installed, by an npm that does it at once. */
const checkout = (t: TestContext) => {
  const root = mkdtempSync(join(tmpdir(), 'perigee-lock-'));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'bin'));
  mkdirSync(join(root, 'packages/cli/src'), { recursive: true });
  writeFileSync(join(root, 'perigee'), readFileSync(LAUNCHER));
  writeFileSync(join(root, 'bin/npm'), INSTALLING_NPM);
  writeFileSync(join(root, 'bin/node'), '#!/bin/sh\necho v20.0.0\n');
  for (const program of ['perigee', 'bin/npm', 'bin/node']) chmodSync(join(root, program), 0o755);
  writeFileSync(join(root, 'package-lock.json'), '{}');
  utimesSync(join(root, 'package-lock.json'), 1, 1);
  writeFileSync(join(root, 'packages/cli/src/main.ts'), 'console.log("ran");');
  chmodSync(root, 0o755);
  const lock = join(root, '.perigee-install.lock');
  const run = async (options: SpawnOptions = {}, patience = '600') => {
    const child = spawn(join(root, 'perigee'), [], {
      env: {
        PATH: `${join(root, 'bin')}:/usr/bin:/bin`,
        REAL_NODE: process.execPath,
        PERIGEE_INSTALL_TIMEOUT: patience,
      },
      cwd: '/',
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const close = once(child, 'close');
    const [stdout, stderr] = await Promise.all([
      text(child.stdout as Readable),
      text(child.stderr as Readable),
    ]);
    const [code] = await close;
    return { code, stdout, stderr };
  };
  return { root, lock, run };
};

const note = (lock: string, content: string): void => {
  mkdirSync(lock);
  writeFileSync(join(lock, 'pid'), content);
};

test('a checkout that cannot be written to is told as such, at once', async (t) => {
  const { root, run } = checkout(t);
  const options = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (!isRoot) chmodSync(root, 0o555);
  const { code, stderr } = await run(options);
  chmodSync(root, 0o755);
  assert.equal(code, 1);
  assert.ok(stderr.includes(`cannot install in ${root}: `), stderr);
  assert.match(stderr, /may not write there\. Run this once as the user who owns that folder/);
});

test('a lock whose maker was killed before it could say who it is does not block for ever', async (t) => {
  const { lock, run } = checkout(t);
  mkdirSync(lock);
  utimesSync(lock, 1, 1);
  assert.equal((await run()).stdout, 'ran\n');
  assert.equal(existsSync(lock), false);
});

test('an empty note in a lock does not block for ever', async (t) => {
  const { lock, run } = checkout(t);
  note(lock, '');
  utimesSync(lock, 1, 1);
  assert.equal((await run()).stdout, 'ran\n');
  assert.equal(existsSync(lock), false);
});

test('a lock that was made just now is given time', async (t) => {
  const { lock, run } = checkout(t);
  mkdirSync(lock);
  const { code, stderr } = await run({}, '0');
  assert.equal(code, 1);
  assert.match(stderr, /another perigee has been installing for 0 seconds/);
  assert.ok(stderr.includes(`rm -rf '${lock}'`), stderr);
  assert.equal(existsSync(lock), true);
});

test('a process that has the number of the installer by chance does not block', async (t) => {
  const { lock, run } = checkout(t);
  note(lock, `${process.pid} another-start/of-another-boot`);
  assert.equal((await run()).stdout, 'ran\n');
});

test('an installer that lives keeps its lock, and is not waited for without end', async (t) => {
  const { lock, run } = checkout(t);
  note(lock, String(process.pid));
  const { code, stderr } = await run({}, '0');
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`installing for 0 seconds \\(process ${process.pid}\\)`));
  assert.equal(existsSync(lock), true);
});

test("another user's installer that lives keeps its lock", { skip: !isRoot }, async (t) => {
  const { root, lock, run } = checkout(t);
  chownSync(root, NOBODY, NOBODY);
  note(lock, String(process.pid));
  chownSync(lock, NOBODY, NOBODY);
  // This user may remove the lock, and may not signal the process that it names.
  const { code, stderr } = await run({ uid: NOBODY, gid: NOBODY }, '0');
  assert.equal(code, 1, stderr);
  assert.match(stderr, /another perigee has been installing/);
  assert.equal(existsSync(lock), true);
});

test('a dead lock of another user that cannot be removed is told as such', {
  skip: !isRoot,
}, async (t) => {
  const { lock, run } = checkout(t);
  note(lock, '4194304 x');
  const { code, stderr } = await run({ uid: NOBODY, gid: NOBODY });
  assert.equal(code, 1);
  assert.match(stderr, /its lock cannot be removed: it is another user's/);
  assert.ok(stderr.includes(`rm -rf '${lock}'`), stderr);
});
