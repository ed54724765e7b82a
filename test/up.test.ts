import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openFolder, startUp } from './placement/perigee-process.ts';

const MAIN = new URL('../packages/cli/src/main.ts', import.meta.url).pathname;

/** Runs a command that ends by itself. */
const perigee = async (kubeconfig: string, ...args: readonly string[]) => {
  const child = spawn(process.execPath, [MAIN, '--kubeconfig', kubeconfig, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const close = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await close;
  return { code, stdout, stderr };
};

const FEW = ['--port', '0', '--members', '1', '--nodes', '1'];

test('perigee up goes on where it was, and keeps its secrets to itself', async () => {
  using folder = openFolder();
  const kubeconfig = join(folder.path, 'kubeconfig');
  using files = openFolder();
  const cluster = join(files.path, 'one.yaml');
  writeFileSync(
    cluster,
    'apiVersion: globalscheduler.com/v1\nkind: Cluster\nmetadata: { name: one }\nspec: { cpuCapacity: 8 }\n',
  );
  {
    await using up = await startUp(folder.path, ...FEW);
    assert.match(up.said(), /Perigee is up after [\d.]+ s, at https:\/\/127\.0\.0\.1:\d+\n/);
    assert.ok(up.said().includes(`export KUBECONFIG=${kubeconfig}`));
    assert.equal(statSync(kubeconfig).mode & 0o777, 0o600);
    assert.equal(statSync(folder.path).mode & 0o077, 0);
    const { code, stderr } = await perigee(kubeconfig, 'register', 'cluster', '-filename', cluster);
    assert.equal(code, 0, stderr);
  }
  await using _again = await startUp(folder.path, ...FEW);
  const { stdout } = await perigee(kubeconfig, 'list', 'clusters', '-o', 'name');
  assert.deepEqual(stdout.trim().split('\n').toSorted(), [
    'cluster.globalscheduler.com/member1',
    'cluster.globalscheduler.com/one',
  ]);
});

test('Ctrl-C ends it with 0', async () => {
  using folder = openFolder();
  const child = spawn(process.execPath, [MAIN, 'up', '--data', folder.path, ...FEW], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const close = once(child, 'close');
  for await (const part of child.stdout.setEncoding('utf8')) {
    said += part;
    if (said.includes('Press Ctrl-C to stop.') && !child.killed) child.kill('SIGINT');
  }
  const [code] = await close;
  assert.equal(code, 0);
});

test('a folder that is in use and a port that is taken are told as such', async () => {
  using folder = openFolder();
  using other = openFolder();
  await using _up = await startUp(folder.path, ...FEW);
  const up = (...args: readonly string[]) =>
    spawnSync(process.execPath, [MAIN, 'up', ...args], { encoding: 'utf8' });
  const second = up('--data', folder.path, ...FEW);
  assert.equal(second.status, 1);
  assert.ok(second.stderr.includes(`${folder.path} is in use by another process`), second.stderr);

  await using listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { port: number };
  const result = up('--data', other.path, '--port', String(port));
  assert.equal(result.status, 1);
  assert.ok(
    result.stderr.includes(`cannot listen on 127.0.0.1:${port}: another program listens there`),
    result.stderr,
  );
});

test('a controller that there is not is a wrong command line, also without a server', () => {
  const args = [MAIN, 'controllers', '--controllers', 'luck', '--kubeconfig', 'nowhere'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /there is no "luck"; the controllers are application-failover, /);
});

test('options that mean nothing are refused before anything is made', () => {
  using folder = openFolder();
  const data = join(folder.path, 'data');
  const config = join(folder.path, 'perigee.yaml');
  writeFileSync(config, 'memberz: 3\n');
  const up = (...args: readonly string[]) =>
    spawnSync(process.execPath, [MAIN, 'up', '--port', '0', '--data', data, ...args], {
      encoding: 'utf8',
    });
  for (const [args, code, says] of [
    [['--members', 'x'], 2, /members must be a whole number from 0 to 500/],
    [['--port', '70000'], 2, /port must be a whole number from 0 to 65535/],
    [['--config', config], 6, /there is no option memberz; choose from/],
    [['--config', 'nowhere.yaml'], 6, /cannot read the configuration nowhere\.yaml/],
    [['--sharding', 'luck'], 2, /sticky-geo, rendezvous, ring/],
    [['--controllers', '*,-nope'], 2, /there is no "nope"; the controllers are/],
    [['--process-namespaces', 'a'], 2, /none may: add --run-processes/],
    [['--run-processes', '--process-namespaces', 'a,B!'], 2, /must be names of namespaces/],
    [['--host-path', '/tmp'], 2, /none may run so: add --run-processes/],
    [['--run-processes', '--host-path', join(data, 'x')], 2, /there is no such folder/],
    [
      ['--run-processes', '--host-path', folder.path],
      2,
      /the data of the control plane, with its keys/,
    ],
  ] as const) {
    const { status, stderr } = up(...args);
    assert.equal(status, code, args.join(' '));
    assert.match(stderr, says);
    assert.equal(existsSync(data), false, `${args.join(' ')} made a folder`);
  }
});
