import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { CONFIG_MAPS, serveApi } from './http-fixture.ts';

const authority = createAuthority();
const tls = authority.issue({ commonName: 'server', usage: 'server', names: ['127.0.0.1'] });
const HEAD = 'host: x\r\n';
const JSON_TYPE = 'content-type: application/json\r\n';
const MAP = '{"metadata":{"name":"smuggled"}}';

/** Bytes on a connection, and the answers that are allowed; none if it is just closed. */
const ABUSES: readonly [name: string, bytes: string, codes: RegExp][] = [
  ['garbage', 'hello there\r\n\r\n', /^(?:400)?$/],
  ['bytes of TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', /^(?:400)?$/],
  ['no host', 'GET /version HTTP/1.1\r\n\r\n', /^400$/],
  ['two hosts', 'GET /version HTTP/1.1\r\nhost: a.localhost\r\nHost: b.localhost\r\n\r\n', /^400$/],
  ['the same host twice', `GET /version HTTP/1.1\r\n${HEAD}${HEAD}\r\n`, /^400$/],
  ['two hosts in one header', 'GET /version HTTP/1.1\r\nhost: a.localhost, b\r\n\r\n', /^400$/],
  [
    'a head that is too large',
    `GET /version HTTP/1.1\r\n${HEAD}a: ${'x'.repeat(2 ** 20)}\r\n\r\n`,
    /^431$/,
  ],
  [
    'garbage behind a request',
    `GET /version HTTP/1.1\r\n${HEAD}\r\nhello\r\n\r\n`,
    /^(?:200)?(?:,?400)?$/,
  ],
  ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n', /^(?:4\d\d)?$/],
  [
    'two lengths',
    `POST ${CONFIG_MAPS} HTTP/1.1\r\n${HEAD}${JSON_TYPE}content-length: 5\r\ncontent-length: 50\r\n\r\n${MAP}`,
    /^400$/,
  ],
  [
    'a length and chunks',
    `POST ${CONFIG_MAPS} HTTP/1.1\r\n${HEAD}${JSON_TYPE}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n20\r\n${MAP}\r\n0\r\n\r\n`,
    /^400$/,
  ],
  [
    'chunks that are not the last encoding',
    `POST ${CONFIG_MAPS} HTTP/1.1\r\n${HEAD}${JSON_TYPE}transfer-encoding: chunked, identity\r\n\r\n20\r\n${MAP}\r\n0\r\n\r\n`,
    /^400$/,
  ],
  [
    'a chunk of a bad size',
    `POST ${CONFIG_MAPS} HTTP/1.1\r\n${HEAD}${JSON_TYPE}transfer-encoding: chunked\r\n\r\nzz\r\n${MAP}\r\n0\r\n\r\n`,
    /^(?:400)?$/,
  ],
  [
    'chunks that are too large together',
    `POST ${CONFIG_MAPS} HTTP/1.1\r\n${HEAD}${JSON_TYPE}transfer-encoding: chunked\r\n\r\n${'100000\r\n'.concat(' '.repeat(2 ** 20), '\r\n').repeat(3)}20\r\n${MAP}\r\n0\r\n\r\n`,
    /^(?:413)?$/,
  ],
  [
    'a body that is cut off where it could end',
    `POST ${CONFIG_MAPS} HTTP/1.1\r\n${HEAD}content-type: application/yaml\r\ncontent-length: 99\r\n\r\nmetadata:\n  name: smuggled\n`,
    /^(?:400)?$/,
  ],
  ['a bare line feed in a header', `GET /version HTTP/1.1\r\n${HEAD}a: b\nc: d\r\n\r\n`, /^400$/],
  ['a space before a colon', `GET /version HTTP/1.1\r\n${HEAD}content-length : 4\r\n\r\n`, /^400$/],
];

const converse = async (port: number, bytes: string, isSecure: boolean): Promise<string> => {
  const socket = isSecure
    ? connectTls({ port, host: '127.0.0.1', ca: authority.cert, ALPNProtocols: ['http/1.1'] })
    : connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (part) => {
    answer += part.toString('latin1');
  });
  socket.on('error', () => {});
  socket.end(Buffer.from(bytes, 'latin1'));
  await once(socket, 'close');
  return [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, code]) => code).join();
};

for (const isSecure of [false, true]) {
  test(`abuse of ${isSecure ? 'TLS' : 'plain'} connections harms nobody`, async () => {
    await using api = await serveApi(isSecure ? { server: { tls } } : {});
    const { revision } = api.registry.store;
    const port = Number(new URL(api.server.url).port);
    for (const [name, bytes, codes] of ABUSES) {
      assert.match(await converse(port, bytes, isSecure), codes, name);
    }
    assert.equal(api.registry.store.revision, revision);
    const version = `GET /version HTTP/1.1\r\n${HEAD}connection: close\r\n\r\n`;
    assert.equal(await converse(port, version, isSecure), '200');
  });
}

test('an upgrade to what the server does not speak is answered as if it were none', async () => {
  await using api = await serveApi();
  const port = Number(new URL(api.server.url).port);
  for (const protocol of ['h2c', 'SPDY/3.1', 'nothing']) {
    const request = `GET /version HTTP/1.1\r\n${HEAD}connection: upgrade\r\nupgrade: ${protocol}\r\n\r\n`;
    assert.equal(await converse(port, request, false), '200', protocol);
  }
  const post = `POST ${CONFIG_MAPS} HTTP/1.1\r\n${HEAD}${JSON_TYPE}connection: upgrade\r\nupgrade: websocket\r\ncontent-length: 2\r\n\r\n{}`;
  assert.equal(await converse(port, post, false), '422');
});

test('who sends a request slowly is cut off', async () => {
  const patience = { headMs: 60, requestMs: 120 };
  await using api = await serveApi({ server: { patience } });
  const port = Number(new URL(api.server.url).port);
  const dawdle = async (bytes: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes);
    let answer = '';
    socket.on('data', (part) => {
      answer += part;
    });
    await once(socket, 'close');
    return answer.slice(9, 12);
  };
  assert.equal(await dawdle('GET /version HTTP/1.1\r\nhost:'), '408');
  const half = `POST ${CONFIG_MAPS} HTTP/1.1\r\n${HEAD}${JSON_TYPE}content-length: 50\r\n\r\n{`;
  assert.equal(await dawdle(half), '408');
  assert.equal((await api.call('GET', '/version')).code, 200);
});
