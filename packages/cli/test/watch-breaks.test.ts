import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { createAuthority } from '../../kube/test/support/certificates.ts';
import { main, perigee } from './command-line.ts';

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

const isBroken: Step = (response) => {
  response.writeHead(500);
  response.end(JSON.stringify({ kind: 'Status', code: 500, message: 'no watch here' }));
};

/** The requests of a list command and of a view. */
const listOf = (url: string): Step =>
  answer(
    url.includes('/clusters') ? table('1') : { metadata: { resourceVersion: '1' }, items: [] },
  );

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

type Handler = (url: string, response: ServerResponse) => void;

/** Serves until the test ends; the kubeconfig that leads there. */
const serve = async (
  t: TestContext,
  handle: Handler,
  server: Server | TlsServer = createServer(),
  cluster: object = {},
): Promise<string> => {
  server.on('request', ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    response.setHeader('content-type', 'application/json');
    handle(url, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'perigee-watch-'));
  t.after(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  const scheme = server instanceof TlsServer ? 'https' : 'http';
  const config = {
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server: `${scheme}://127.0.0.1:${port}`, ...cluster } }],
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
  assert.match(
    await complaints,
    /^perigee: cannot use .*: the connection broke; it is tried again until there is an answer\n$/,
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
  assert.match(
    await complaints,
    /^perigee: cannot use .*: the connection broke; it is tried again/,
  );
});

for (const line of ['get clusters -w', 'queue -w']) {
  test(`${line} ends, and says why, when the server returns with a certificate of others`, async (t) => {
    const certificate = () => {
      const authority = createAuthority();
      const names = ['127.0.0.1'];
      return {
        ...authority.issue({ commonName: 's', usage: 'server', names }),
        ca: authority.cert,
      };
    };
    const { ca, ...first } = certificate();
    const server = createTlsServer(first);
    const handle: Handler = (url, response) => {
      if (!url.includes('watch=true')) return listOf(url)(response);
      const { ca: _, ...other } = certificate();
      server.setSecureContext(other);
      server.closeAllConnections();
    };
    const kubeconfig = await serve(t, handle, server, {
      'certificate-authority-data': Buffer.from(ca).toString('base64'),
    });
    const { code, stderr } = await perigee(line.split(' '), { KUBECONFIG: kubeconfig });
    assert.equal(code, 7, stderr);
    assert.match(stderr, /its certificate is not signed by an authority that is trusted here/);
  });
}

for (const [line, fail, cause] of [
  ['get clusters -w', isBroken, / answered: no watch here$/],
  ['queue -w', isAway, /: the connection broke$/],
] as const) {
  test(`${line} tells of a watch that always fails while the list works, and asks less often`, async (t) => {
    let watches = 0;
    const kubeconfig = await serve(t, (url, response) => {
      if (!url.includes('watch=true')) return listOf(url)(response);
      if (url.includes('/clusters') || url.includes('/queues')) watches += 1;
      return fail(response);
    });
    const env = { PATH: process.env.PATH, KUBECONFIG: kubeconfig };
    const child = spawn(process.execPath, [main, ...line.split(' ')], { env });
    t.after(() => child.kill());
    child.stdout.resume();
    for await (const complaint of createInterface(child.stderr)) {
      assert.match(complaint, /^perigee: changes cannot be watched, so that they come late: /);
      assert.match(complaint, cause);
      break;
    }
    assert.ok(watches <= 3, `${watches} watches`);
  });
}
