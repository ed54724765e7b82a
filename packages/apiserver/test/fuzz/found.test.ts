import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { CONFIG_MAPS, serveApi } from '../http/http-fixture.ts';

const UPGRADE =
  'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

test('an upgrade behind a request that is yet to be answered ends the connection only', async () => {
  await using api = await serveApi();
  const socket = connect(Number(new URL(api.server.url).port), '127.0.0.1');
  const watch = `GET ${CONFIG_MAPS}?watch=1 HTTP/1.1\r\nhost: x\r\n`;
  socket.write(`${watch}\r\n${watch}${UPGRADE}\r\n`);
  socket.resume();
  await once(socket, 'close');
  assert.equal((await api.call('GET', '/version')).code, 200);
});

test('a warning may be about any character', async () => {
  await using api = await serveApi();
  const body = '{"metadata":{"name":"odd"},"\\u007f\\u0000\\u00e9\\u2603":1}';
  const { code, headers } = await api.send('POST', CONFIG_MAPS, body);
  assert.equal(code, 201);
  assert.match(headers.get('warning') ?? '', /unknown field/);
});
