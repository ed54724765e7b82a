import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { kubectlBinary } from './clients/client-binaries.ts';

const ROOT = new URL('..', import.meta.url).pathname;
const MAIN = join(ROOT, 'packages/cli/src/main.ts');
const { path: kubectl, skip } = kubectlBinary();

/** Tells the story, or a part of it, with a PATH of nothing but these programs. */
const demo = async (
  programs: { readonly [name: string]: string },
  ...options: readonly string[]
) => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-demo-test-'));
  try {
    for (const [name, path] of Object.entries(programs)) symlinkSync(path, join(folder, name));
    const child = spawn(process.execPath, [MAIN, 'demo', '--once', ...options], {
      env: { PATH: folder, HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      exitCode,
    ]);
    return { code, stdout, stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The lines of the commands that were typed. */
const typedIn = (stdout: string): readonly string[] =>
  [...stdout.matchAll(/^ {5}\$ (?:.*\\\n)*.*$/gm)].flatMap(([lines]) => lines.split('\n'));

test('one scene is shown by itself, with kubectl, and those before it are played', {
  skip,
}, async () => {
  const { code, stdout, stderr } = await demo({ kubectl }, '--scene', '4');
  assert.equal(code, 0, `${stdout}${stderr}`);
  assert.match(
    stdout,
    /\$ kubectl apply -f \$DEMO\/training\.yaml\n(?:.*\n)* +job\.batch\.volcano\.sh\/train created/,
  );
  assert.match(stdout, /4\/9 {2}A training job waits, and says why {2}\(stage 3 claim the data\)/);
  assert.doesNotMatch(stdout, /3\/9|5\/9/);
  assert.match(stdout, /Everything came true/);
});

test('the story comes true on a machine that has neither kubectl nor curl', async () => {
  const { code, stdout, stderr } = await demo({});
  assert.equal(code, 0, `${stdout}${stderr}`);
  assert.match(stdout, /There is no kubectl and no curl on your PATH/);
  assert.deepEqual(
    typedIn(stdout).filter((line) => line.length > 80),
    [],
  );
  assert.match(stdout, / --cert \$PKI\/admin\.crt/, 'a flag keeps its value');
  assert.match(stdout, /waits for lab features turbines/);
  assert.match(stdout, /✔ all 4 workers run, in tokyo/);
  assert.match(stdout, /✔ member2 has a part of it again, and all 12 replicas are ready/);
  assert.match(stdout, /Everything came true/);
});

test('a scene that there is not is refused before anything is started', async () => {
  const { code, stderr } = await demo({}, '--scene', '10');
  assert.equal(code, 2);
  assert.match(stderr, /--scene: the story has scenes 1 to 9/);
});

test('a story that does not come true fails, and says where', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-broken-kubectl-'));
  try {
    const broken = join(folder, 'kubectl');
    writeFileSync(broken, '#!/bin/sh\necho "the disk is full" >&2\nexit 7\n');
    chmodSync(broken, 0o755);
    const { code, stderr } = await demo({ kubectl: broken });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /kubectl apply -f examples\/demo\/scheduler1\.yaml ended with 7:\nthe disk is full/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
