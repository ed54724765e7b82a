import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { main, openStage, perigee, type Stage } from '../command-line.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage[Symbol.asyncDispose]());

/** Starts a scheduler, returns its first message and stops it. */
const greetingOf = async (name: string): Promise<string> => {
  const child = spawn(process.execPath, [main, 'scheduler', '--name', name], {
    env: { PATH: process.env.PATH, KUBECONFIG: stage.kubeconfig },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  const [line] = await once(createInterface(child.stderr), 'line');
  child.kill('SIGINT');
  assert.deepEqual(await ended, [0, null]);
  return line;
};

test('a scheduler says that it is at work', async () => {
  await stage.server.client.create(Scheduler, { metadata: { name: 'there' }, spec: {} });
  assert.equal(await greetingOf('there'), 'perigee: the scheduler there is at work');
});

test('a scheduler without its object says so, for its name may be misspelt', async () => {
  assert.match(await greetingOf('their'), /no Scheduler object has that name: create it, or corr/);
});

test('a scheduler whose server does not answer ends, and says so', async () => {
  const KUBECONFIG = join(stage.folder, 'nobody');
  const text = readFileSync(stage.kubeconfig, 'utf8');
  writeFileSync(KUBECONFIG, text.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'), { mode: 0o600 });
  const { code, stderr } = await perigee(['scheduler', '--name', 'there'], { KUBECONFIG });
  assert.equal(code, 7, stderr);
  assert.match(
    stderr,
    /^perigee: cannot use https:\/\/127\.0\.0\.1:1 .*the connection was refused/,
  );
});
