import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { main, openStage } from '../command-line.ts';

const stage = await openStage();
after(() => stage[Symbol.asyncDispose]());

test('serves the REST API until it is stopped', async () => {
  const caFile = join(stage.folder, 'rest-ca.crt');
  const args = [main, 'rest', '--kubeconfig', stage.kubeconfig, '--port', '0', '--ca-file', caFile];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const [line] = await once(createInterface(child.stderr), 'line');
  const [url = ''] = /https:\S+/.exec(String(line)) ?? [];
  const outgoing = request(`${url}/globalscheduler/v1/clusters`, {
    ca: readFileSync(caFile),
  }).end();
  const [{ statusCode }] = await once(outgoing, 'response');
  assert.equal(statusCode, 401);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
});

test('says what is wrong with its options', async () => {
  const cases = [
    [['--port', 'x'], /--port x: write a number/],
    [['--tls-cert-file', 'a'], /go together/],
    [['--tls-cert-file', 'a', '--tls-private-key-file', 'b'], /a cannot be read/],
  ] as const;
  for (const [args, text] of cases) {
    const { code, stderr } = await stage.run(['rest', ...args]);
    assert.notEqual(code, 0);
    assert.match(stderr, text);
  }
});
