import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { main } from './command-line.ts';

const row = (name: string, resourceVersion: string) => ({
  cells: [name, resourceVersion],
  object: { metadata: { name, resourceVersion } },
});

const table = (resourceVersion: string, ...rows: readonly object[]) => ({
  kind: 'Table',
  metadata: { resourceVersion },
  columnDefinitions: [{ name: 'Name' }, { name: 'Version' }],
  rows,
});

type Step = (response: ServerResponse) => void;

const answer =
  (body: object): Step =>
  (response) =>
    void response.end(JSON.stringify(body));

const isAway: Step = (response) => void response.destroy();

const isStarting: Step = (response) => {
  response.writeHead(503, { 'retry-after': '0' });
  response.end(JSON.stringify({ kind: 'Status', code: 503, message: 'not ready' }));
};

/** A watch that tells these events, and then ends or breaks. */
const watch =
  (events: readonly object[], then: 'end' | 'break' | 'stay'): Step =>
  (response) => {
    response.write(events.map((event) => `${JSON.stringify(event)}\n`).join(''), () => {
      if (then === 'end') response.end();
      if (then === 'break') response.destroy();
    });
  };

const event = (type: string, name: string, version: string) => ({
  type,
  object: table(version, row(name, version)),
});

/** Serves without TLS until the test ends; the kubeconfig that leads there. */
const serve = async (
  t: TestContext,
  handle: (url: string, response: ServerResponse) => void,
): Promise<string> => {
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json');
    handle(url, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'perigee-watch-'));
  t.after(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  const config = {
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    contexts: [{ name: 'here', context: { cluster: 'c' } }],
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
};

test('a watch goes on when its server was away, and misses nothing', async (t) => {
  const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
  const steps: Step[] = [
    answer(table('1', row('a', '1'), row('b', '1'))),
    watch([event('MODIFIED', 'a', '2')], 'break'),
    // Each look is two requests, as the first failure is tried again.
    isAway,
    isAway,
    isStarting,
    isStarting,
    answer(table('3', row('a', '2'), row('c', '3'))),
    watch([{ type: 'ERROR', object: gone }], 'end'),
    answer(table('4', row('c', '3'))),
    watch([], 'end'),
    watch([event('DELETED', 'c', '5')], 'stay'),
  ];
  const paths: string[] = [];
  const kubeconfig = await serve(t, (url, response) => {
    paths.push(url);
    const step = steps.shift();
    if (step === undefined) response.destroy();
    else step(response);
  });
  const env = { PATH: process.env.PATH, KUBECONFIG: kubeconfig };
  const child = spawn(process.execPath, [main, 'get', 'clusters', '-w'], { env });
  t.after(() => child.kill());
  const complaints = text(child.stderr);
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line.trim().replaceAll(/ +/g, ' '));
    if (line.startsWith('c') && line.endsWith('deleted')) break;
  }
  child.kill();
  assert.deepEqual(lines, [
    'NAME VERSION',
    'a 1',
    'b 1',
    'a 2',
    'b 1 deleted',
    'c 3',
    'a 2 deleted',
    'c 5 deleted',
  ]);
  assert.deepEqual(steps, []);
  assert.equal(
    await complaints,
    'perigee: the server does not answer; this goes on as soon as it does\n',
  );
  const versions = paths.flatMap((path) => /resourceVersion=(\d+)/.exec(path)?.[1] ?? []);
  assert.deepEqual(versions, ['1', '3', '4', '4']);
});

test('a view goes on when its server was away', async (t) => {
  let failures = 0;
  const kubeconfig = await serve(t, (url, response) => {
    const list = answer({ metadata: { resourceVersion: '1' }, items: [] });
    if (!url.includes('watch=true') && (failures === 0 || failures > 6)) return list(response);
    failures += 1;
    return failures % 2 === 0 ? isStarting(response) : isAway(response);
  });
  const env = { PATH: process.env.PATH, KUBECONFIG: kubeconfig };
  const child = spawn(process.execPath, [main, 'queue', '-w'], { env });
  t.after(() => child.kill());
  const complaints = text(child.stderr);
  let heads = 0;
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('QUEUE') || line.startsWith('There')) heads += 1;
    if (heads === 2) break;
  }
  child.kill();
  assert.equal(heads, 2, await complaints);
  assert.match(await complaints, /^perigee: the server does not answer; this goes on/);
});
