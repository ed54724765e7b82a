import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';

const repository = new URL('..', import.meta.url).pathname;

const INSTALLING_NPM = `#!/bin/sh
echo "npm $*" >>"$NPM_CALLS"
mkdir -p node_modules/node-this-platform/bin
ln -sf "$REAL_NODE" node_modules/node-this-platform/bin/node
: >node_modules/.package-lock.json
`;
const FAILING_NPM = '#!/bin/sh\necho "npm error network" >&2\nexit 1\n';

/** Installs a script as the `node` of the machine. */
const setOwnNode = (root: string, script: string): void => {
  writeFileSync(join(root, 'bin/node'), script);
  chmodSync(join(root, 'bin/node'), 0o755);
};

/** A checkout with a command that prints its arguments, and an npm that notes how it was called. */
const checkout = (t: TestContext, npm = INSTALLING_NPM) => {
  const root = mkdtempSync(join(tmpdir(), 'perigee-launcher-'));
  t.after(() => rmSync(root, { recursive: true }));
  const calls = join(root, 'npm-calls');
  mkdirSync(join(root, 'bin'));
  mkdirSync(join(root, 'packages/cli/src'), { recursive: true });
  copyFileSync(join(repository, 'perigee'), join(root, 'perigee'));
  writeFileSync(join(root, 'package-lock.json'), '{}');
  utimesSync(join(root, 'package-lock.json'), 1, 1);
  writeFileSync(
    join(root, 'packages/cli/src/main.ts'),
    'console.log("ran", ...process.argv.slice(2));',
  );
  writeFileSync(join(root, 'bin/npm'), npm);
  chmodSync(join(root, 'bin/npm'), 0o755);
  const env = {
    PATH: [join(root, 'bin'), '/usr/bin', '/bin'].join(delimiter),
    NPM_CALLS: calls,
    REAL_NODE: process.execPath,
    HOME: root,
  };
  // A machine may have a Node.js that is new enough, so these tests bring their own.
  setOwnNode(root, '#!/bin/sh\necho v20.0.0\n');
  const run = (path = join(root, 'perigee'), ...args: string[]) =>
    spawnSync(path, args, { encoding: 'utf8', env, cwd: tmpdir() });
  const npmCalls = () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []);
  return { root, env, run, npmCalls };
};

test('the first use installs and says so; the next one starts at once', (t) => {
  const { root, run, npmCalls } = checkout(t);
  const first = run(undefined, 'get', 'a b');
  assert.equal(first.stdout, 'ran get a b\n');
  assert.match(first.stderr, /first use: installing/);
  const second = run(undefined, '--help');
  assert.equal(second.stdout, 'ran --help\n');
  assert.equal(second.stderr, '');
  assert.equal(npmCalls().length, 1);
  assert.match(npmCalls()[0] ?? '', /^npm ci --omit=dev --ignore-scripts/);
  assert.equal(existsSync(join(root, '.perigee-install.lock')), false);
});

test('a changed lockfile installs again', (t) => {
  const { root, run, npmCalls } = checkout(t);
  run();
  utimesSync(join(root, 'package-lock.json'), 4e9, 4e9);
  assert.match(run().stderr, /installing the packages that have changed/);
  assert.equal(npmCalls().length, 2);
});

test('whoever has the tools to work on it keeps them', (t) => {
  const { root, run, npmCalls } = checkout(t);
  mkdirSync(join(root, 'node_modules/typescript'), { recursive: true });
  run();
  assert.match(npmCalls()[0] ?? '', /^npm ci --include=dev/);
});

test('a failed installation says what to do, fails, and leaves no lock', (t) => {
  const { root, run } = checkout(t, FAILING_NPM);
  const { status, stderr } = run();
  assert.equal(status, 1);
  assert.match(stderr, /npm error network\nperigee: the installation failed\. .*run this again/);
  assert.equal(existsSync(join(root, '.perigee-install.lock')), false);
});

test('the lock of an installation that was killed does not block the next one', (t) => {
  const { root, run } = checkout(t);
  const endedPid = spawnSync('/bin/sh', ['-c', 'echo $$'], { encoding: 'utf8' }).stdout.trim();
  mkdirSync(join(root, '.perigee-install.lock'));
  writeFileSync(join(root, '.perigee-install.lock/pid'), endedPid);
  assert.equal(run().status, 0);
});

test('it works through a symbolic link, as a kubectl plugin does', (t) => {
  const { root, run } = checkout(t);
  symlinkSync('../perigee', join(root, 'bin/kubectl-perigee'));
  const main = join(root, 'packages/cli/src/main.ts');
  writeFileSync(main, 'console.log(process.env.PERIGEE_CALLED_AS, ...process.argv.slice(2));');
  const plugin = run(join(root, 'bin/kubectl-perigee'), 'version');
  assert.equal(plugin.stdout, 'kubectl perigee version\n');
  symlinkSync('../perigee', join(root, 'bin/kubectl_complete-perigee'));
  const completion = run(join(root, 'bin/kubectl_complete-perigee'), 'get', '');
  assert.equal(completion.stdout, 'undefined __complete get \n');
});

test('the exit code of the command is passed on', (t) => {
  const { root, run } = checkout(t);
  writeFileSync(join(root, 'packages/cli/src/main.ts'), 'process.exitCode = 2;');
  assert.equal(run().status, 2);
});

test("the machine's own Node.js is used when it is new enough and can run TypeScript", (t) => {
  const { root, run } = checkout(t);
  const own = (typescript: string) => `#!/bin/sh
case $1 in
  --version) echo v24.1.0 ;;
  -p) echo ${typescript} ;;
  *) while [ "\${1#-}" != "$1" ]; do shift; done; shift; echo own "$@" ;;
esac
`;
  setOwnNode(root, own('true'));
  assert.equal(run(undefined, 'get').stdout, 'own get\n');
  // The launcher caches its check of that `node`, and checks it again after a change of its version.
  setOwnNode(root, own('false').replace('v24.1.0', 'v24.2.0'));
  assert.equal(run(undefined, 'get').stdout, 'ran get\n');
});

test('a platform without a Node.js package is told what to do', (t) => {
  const { root, run } = checkout(
    t,
    '#!/bin/sh\nmkdir -p node_modules && : >node_modules/.package-lock.json\n',
  );
  const { status, stderr } = run();
  assert.equal(status, 1);
  assert.match(stderr, /no Node\.js package that runs on this platform \(.+\).* own is v20\.0\.0/);
  assert.match(stderr, /Install Node\.js 24 or newer/);
  assert.equal(existsSync(join(root, '.perigee-install.lock')), false);
});
