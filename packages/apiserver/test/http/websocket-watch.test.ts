import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { unauthorized } from '../../src/status/request-refusals.ts';
import { at, ConfigMap } from '../registry/registry-fixture.ts';
import { CONFIG_MAPS, serveApi } from './http-fixture.ts';

const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

const requestText = (path: string, headers: { readonly [name: string]: string }): string =>
  [
    `GET ${path} HTTP/1.1`,
    'host: x',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

/** All that the server says on a connection until it closes it. */
const converse = async (socket: Socket, text: string): Promise<string> => {
  let answer = '';
  socket.setEncoding('latin1');
  socket.on('data', (part) => {
    answer += part;
  });
  socket.write(text);
  await once(socket, 'close');
  return answer;
};

const ask = (url: string, path: string, headers: { readonly [name: string]: string }) =>
  converse(
    connect(Number(new URL(url).port), '127.0.0.1'),
    requestText(path, { ...HANDSHAKE, ...headers }),
  );

/** The messages of a WebSocket as they come, and the code with which it closes. */
const open = async (url: string, protocols: string[] = []) => {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols);
  const closed = once(socket, 'close').then(([event]) => (event as CloseEvent).code);
  const waiting: string[] = [];
  let wake = () => {};
  socket.addEventListener('message', ({ data }) => {
    waiting.push(String(data));
    wake();
  });
  const next = async () => {
    while (waiting.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const { type, object } = JSON.parse(waiting.shift() ?? '');
    return `${type} ${object.metadata.name}`;
  };
  await once(socket, 'open');
  return { socket, closed, next };
};

test('a watch over a WebSocket tells one event in each message', async () => {
  await using api = await serveApi();
  for (const name of ['x', 'y']) await api.client.create(ConfigMap, { metadata: at(name) });
  const path = `${api.server.url}${CONFIG_MAPS}?watch=true`;
  const { socket, closed, next } = await open(path, ['base64.binary.k8s.io']);
  assert.equal(socket.protocol, 'base64.binary.k8s.io');
  assert.deepEqual([await next(), await next()], ['ADDED x', 'ADDED y']);
  socket.send('what a client says is of no interest');
  await Promise.all(['a', 'b'].map((name) => api.client.create(ConfigMap, { metadata: at(name) })));
  assert.deepEqual([await next(), await next()].sort(), ['ADDED a', 'ADDED b']);
  await api.client.delete(ConfigMap, at('x'));
  assert.equal(await next(), 'DELETED x');
  socket.close(1000);
  assert.equal(await closed, 1000);
});

test('a watch over a WebSocket ends with its time and with the server', async () => {
  const api = await serveApi();
  const short = await open(`${api.server.url}${CONFIG_MAPS}?watch=true&timeoutSeconds=1`);
  const long = await open(`${api.server.url}${CONFIG_MAPS}?watch=true`);
  assert.equal(await short.closed, 1000);
  await api[Symbol.asyncDispose]();
  assert.equal(await long.closed, 1000);
});

test('a refusal comes as a Status before anything is a WebSocket', async () => {
  await using api = await serveApi();
  const status = async (path: string, headers = {}) => {
    const answer = await ask(api.server.url, path, headers);
    return [answer.slice(9, 12), /"reason":"(\w+)"/.exec(answer)?.[1]];
  };
  const watch = `${CONFIG_MAPS}?watch=true`;
  assert.deepEqual(await status(`${watch}&labelSelector=a%20in`), ['400', 'BadRequest']);
  assert.deepEqual(await status('/api/v1/nothing?watch=true'), ['404', 'NotFound']);
  assert.deepEqual(await status(watch, { 'sec-websocket-version': '8' }), ['400', 'BadRequest']);
  assert.deepEqual(await status(watch, { 'sec-websocket-key': 'x' }), ['400', 'BadRequest']);
  assert.deepEqual(await status(watch, { origin: 'https://evil.example' }), ['403', 'Forbidden']);
  assert.deepEqual(await status(`${CONFIG_MAPS}/absent`), ['404', 'NotFound']);
});

test('who may watch is asked as for any watch, also with a token among the protocols', async () => {
  const authorize = ({ headers }: { readonly headers: { readonly authorization?: unknown } }) => {
    if (headers.authorization !== 'Bearer secret') throw unauthorized();
  };
  await using api = await serveApi({ api: { authorize } });
  const path = `${CONFIG_MAPS}?watch=true&timeoutSeconds=1`;
  assert.match(await ask(api.server.url, path, {}), /^HTTP\/1.1 401 /);
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('secret').toString('base64url')}`;
  const { socket } = await open(api.server.url + path, [token, 'base64.binary.k8s.io']);
  assert.equal(socket.protocol, 'base64.binary.k8s.io');
  socket.close();
});

test('who does not read loses the watch, not the memory of the server', async () => {
  await using api = await serveApi({ store: { backlog: { events: 10 } } });
  const socket = connect(Number(new URL(api.server.url).port), '127.0.0.1');
  socket.write(requestText(`${CONFIG_MAPS}?watch=true`, HANDSHAKE));
  await once(socket, 'data');
  socket.pause();
  const sizes = { each: 500_000, count: 60 };
  const data = { text: 'x'.repeat(sizes.each) };
  for (let made = 0; made < sizes.count; made++) {
    await api.client.create(ConfigMap, { metadata: at(`m${made}`), data });
  }
  let bytes = 0;
  let last = Buffer.alloc(0);
  socket.on('data', (part) => {
    bytes += part.length;
    last = Buffer.concat([last, part]).subarray(-4);
  });
  socket.resume();
  await once(socket, 'close');
  assert.equal(last.toString('latin1'), '\x88\x02\x03\xe8');
  assert.ok(bytes < (sizes.each * sizes.count) / 2, `${bytes} bytes were kept for it`);
});

test('over TLS, pings are answered and a broken frame ends the connection', async () => {
  const authority = createAuthority();
  const tls = authority.issue({ commonName: 'server', usage: 'server', names: ['127.0.0.1'] });
  await using api = await serveApi({ server: { tls } });
  const port = Number(new URL(api.server.url).port);
  const socket = connectTls({ port, host: '127.0.0.1', ca: authority.cert });
  const head = requestText(`${CONFIG_MAPS}?watch=true`, HANDSHAKE);
  const ping = '\x89\x82\0\0\0\0hi';
  const unmasked = '\x81\x01x';
  socket.setDefaultEncoding('latin1');
  const answer = await converse(socket, head + ping + unmasked);
  const [first, rest] = answer.split('\r\n\r\n');
  assert.match(first ?? '', /^HTTP\/1.1 101 .*s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/s);
  assert.equal(rest, '\x8a\x02hi\x88\x02\x03\xea');
});
