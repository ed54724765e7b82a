import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { perigee, type Result } from './command-line.ts';

interface Answer {
  readonly code?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | object | null;
}

const folder = mkdtempSync(join(tmpdir(), 'perigee-broken-'));
after(() => rmSync(folder, { recursive: true }));

/** The only answer of a server without TLS, and the count of requests. */
const runAgainst = async (
  line: string,
  answer: Answer | ((path: string) => Answer),
): Promise<Result & { readonly requests: number }> => {
  let requests = 0;
  const server = createServer(({ url = '' }, response) => {
    requests += 1;
    const {
      code = 200,
      headers = {},
      body = null,
    } = typeof answer === 'function' ? answer(url) : answer;
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const file = join(folder, `kubeconfig-${port}`);
  const config = {
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    contexts: [{ name: 'here', context: { cluster: 'c' } }],
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const result = await perigee(line.split(' '), { KUBECONFIG: file });
  server.close();
  server.closeAllConnections();
  return { ...result, requests };
};

const status = (code: number, message: string): Answer => ({
  code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason: '', message },
});

describe('what no API server answers', () => {
  const page = { headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' };
  const cases: readonly (readonly [string, Answer, RegExp])[] = [
    ['list clusters', page, /something that is not JSON; check .* not a proxy or a login page/],
    ['list clusters', { body: '{"kind":"Table","rows":[{' }, /something that is not JSON/],
    ['list clusters', { body: null }, /something that is no object; check/],
    ['get clusters c -o json', { body: null }, /something that is no object/],
    ['get clusters c -o json', { body: { kind: 'Cluster' } }, /something that is no object/],
    ['list clusters -o json', { body: [1] }, /something that is no object/],
    ['status', { body: { kind: 'Table', rows: [] } }, /something that is no list of objects/],
    ['status', { body: { metadata: {}, items: [null] } }, /something that is no list of objects/],
    ['get deployments', { body: { some: 'thing' } }, /something that is no list of its resources/],
  ];
  for (const [line, answer, message] of cases) {
    it(`is told by ${line}, with the code 7: ${JSON.stringify(answer.body)}`, async () => {
      const { code, stdout, stderr } = await runAgainst(line, answer);
      assert.deepEqual([code, stdout], [7, ''], stderr);
      assert.match(stderr, message);
      assert.match(stderr, /^perigee: http:\/\/127\.0\.0\.1:\d+ \(context "here" of .*\n$/);
    });
  }

  it('is not followed elsewhere', async () => {
    const elsewhere = { code: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' };
    const { code, stderr, requests } = await runAgainst('list clusters', elsewhere);
    assert.deepEqual([code, requests], [1, 1]);
    assert.match(stderr, /answered: HTTP status 302\n$/);
  });
});

describe('what some API servers answer', () => {
  it('may be null for a list of nothing', async () => {
    const none = { body: { kind: 'List', metadata: { resourceVersion: '1' }, items: null } };
    const [table, objects] = await Promise.all([
      runAgainst('list clusters', none),
      runAgainst('list clusters -o json', none),
    ]);
    assert.deepEqual([table.code, table.stderr], [0, 'perigee: there are no clusters\n']);
    assert.deepEqual([objects.code, JSON.parse(objects.stdout).items], [0, []], objects.stderr);
  });

  it('may leave a group without resources', async () => {
    const { code, stdout, stderr } = await runAgainst('api-resources -o name', (path) => {
      if (path === '/api') return { body: { kind: 'APIVersions', versions: ['v1'] } };
      if (path === '/apis') return { body: { kind: 'APIGroupList', groups: null } };
      return { body: { kind: 'APIResourceList', resources: null } };
    });
    assert.deepEqual([code, stderr], [0, ''], stdout);
  });

  it('is tried again when the server fails, but not without end', async () => {
    for (const code of [429, 503]) {
      const busy = { ...status(code, 'busy'), headers: { 'retry-after': '0' } };
      const { code: exit, requests, stderr } = await runAgainst('list clusters', busy);
      assert.deepEqual([exit, requests], [1, 2], stderr);
      assert.match(stderr, /busy/);
    }
  });

  it('cannot command the terminal, neither in errors, nor in warnings, nor in tables', async () => {
    const evil = 'a\u001b[2J\u009b31m\nb';
    const headers = { warning: '299 - "deprecated \u009b31m"' };
    const columnDefinitions = [{ name: evil }];
    const rows = [{ cells: [evil], object: { metadata: { name: evil } } }, null, { cells: 7 }];
    const table = { kind: 'Table', metadata: {}, columnDefinitions, rows };
    const [failure, shown] = await Promise.all([
      runAgainst('list clusters', status(409, evil)),
      runAgainst('list clusters', { headers, body: table }),
    ]);
    assert.equal(failure.code, 5);
    assert.equal(shown.code, 0);
    assert.match(shown.stderr, /^perigee: warning: deprecated/);
    for (const text of [failure.stderr, shown.stderr, shown.stdout]) {
      assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
    }
  });

  it('is told once when all answers have the same warning', async () => {
    const headers = { warning: '299 - "this API is old"' };
    const body = { kind: 'List', metadata: { resourceVersion: '1' }, items: [] };
    const { code, stderr, requests } = await runAgainst('status', (path) =>
      path.startsWith('/apis/') ? { headers, body } : status(404, 'nothing there'),
    );
    assert.equal(code, 0, stderr);
    assert.ok(requests > 2, `${requests} requests`);
    assert.equal(stderr, 'perigee: warning: this API is old\n');
  });
});
