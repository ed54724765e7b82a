import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { CONFIG_MAPS, serveApi } from './http-fixture.ts';

const authority = createAuthority();
const tls = authority.issue({ commonName: 'server', usage: 'server', names: ['127.0.0.1'] });

const open = (url: string) => {
  const { port, protocol } = new URL(url);
  const to = { port: Number(port), host: '127.0.0.1' };
  return protocol === 'https:'
    ? connectTls({ ...to, ca: authority.cert, ALPNProtocols: ['http/1.1'] })
    : connect(to);
};

/** Sends all of it at once, and resolves with all that comes back until the server closes. */
const converse = async (url: string, requests: readonly string[]): Promise<string> => {
  const socket = open(url);
  const parts: Buffer[] = [];
  socket.on('data', (part) => void parts.push(part));
  socket.write(requests.join(''));
  await once(socket, 'close');
  return Buffer.concat(parts).toString('latin1');
};

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const LAST = 'connection: close\r\n';

for (const [name, given] of Object.entries({ plain: {}, TLS: { server: { tls } } })) {
  for (const count of [2000, 5000]) {
    test(`${count} requests at once on one connection are answered in order: ${name}`, async () => {
      await using api = await serveApi(given);
      const { url } = api.server;
      // A missing object is reported by its name.
      const paths = Array.from({ length: count }, (_, at) => `${CONFIG_MAPS}/n${at}`);
      const requests = paths.map((path, at) => get(path, at === count - 1 ? LAST : ''));
      const answers = await converse(url, requests);
      const told = [...answers.matchAll(/"details":\{"name":"(n\d+)"/g)].map(([, at]) => at);
      assert.deepEqual(
        told,
        paths.map((path) => path.slice(CONFIG_MAPS.length + 1)),
      );
      assert.equal(answers.match(/HTTP\/1\.1 404/g)?.length, count);
    });
  }
}

const post = (name: string, more = ''): string => {
  const body = JSON.stringify({ metadata: { name } });
  return `POST ${CONFIG_MAPS} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`;
};

test('requests on one connection see what those before them did', async () => {
  await using api = await serveApi();
  const names = Array.from({ length: 300 }, (_, at) => `made-${at}`);
  const answers = await converse(api.server.url, [
    ...names.flatMap((name) => [post(name), get(`${CONFIG_MAPS}/${name}`)]),
    get('/version', LAST),
  ]);
  const codes = [...answers.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, code]) => code);
  assert.deepEqual(codes, [...names.flatMap(() => ['201', '200']), '200']);
});

test('what waits behind a request that never ends is not done when its client leaves', async () => {
  await using api = await serveApi();
  const { registry, server } = api;
  const socket = open(server.url);
  const watch = get(`${CONFIG_MAPS}?watch=true`);
  socket.write(watch + post('behind') + get('/version').repeat(50_000));
  await once(socket, 'data');
  socket.resetAndDestroy();
  // Whatever the server still had to do for the connection is done when it has ended.
  await server[Symbol.asyncDispose]();
  assert.equal(registry.store.get('root//configmaps', 'a/behind'), undefined);
});
