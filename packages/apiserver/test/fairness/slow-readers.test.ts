import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { WRITE_SLICE } from '../../src/registry/entry-slices.ts';
import { CONFIG_MAPS, serveApi } from '../http/http-fixture.ts';
import { at, ConfigMap } from '../registry/registry-fixture.ts';
import { nameOf, serveMany } from './fairness-fixture.ts';

/** More than the buffers of a connection take. */
const COUNT = 600;
const SIZE = 50_000;
const SLICES = Math.floor((COUNT * SIZE) / WRITE_SLICE.bytes);

const askForList = (url: string) => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.write(`GET ${CONFIG_MAPS} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  return socket;
};

test('a list is made no faster than its reader takes it, byte by byte', async () => {
  await using api = await serveMany(COUNT, SIZE);
  const socket = askForList(api.server.url);
  await once(socket, 'readable');
  const bytes: Buffer[] = [];
  for (let taken = 0; taken < 2_000; taken++) bytes.push(socket.read(1) ?? Buffer.alloc(0));
  for (let others = 0; others < 50; others++) {
    assert.equal((await api.call('GET', `${CONFIG_MAPS}/${nameOf(others)}`)).code, 200);
  }
  assert.ok(api.counted.yields < SLICES / 2, `${api.counted.yields} of ${SLICES} slices are made`);
  socket.on('data', (chunk: Buffer) => bytes.push(chunk));
  await once(socket, 'end');
  const text = Buffer.concat(bytes).toString();
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
  assert.equal(text.match(/"name":"m\d{5}"/g)?.length, COUNT);
  assert.ok(text.endsWith('\r\n0\r\n\r\n'), 'it came to its end');
});

test('a list ends with its reader', async () => {
  await using api = await serveMany(COUNT, SIZE);
  const socket = askForList(api.server.url);
  await once(socket, 'readable');
  socket.destroy();
  for (let others = 0; others < 50; others++) {
    assert.equal((await api.call('GET', `${CONFIG_MAPS}/${nameOf(others)}`)).code, 200);
  }
  assert.ok(api.counted.yields < SLICES / 2, `${api.counted.yields} of ${SLICES} slices were made`);
});

test('a thousand watches that wait all get what comes', async () => {
  const authority = createAuthority();
  const tls = authority.issue({ commonName: 'server', usage: 'server', names: ['127.0.0.1'] });
  await using api = await serveApi({ server: { tls } });
  const sessions = Array.from({ length: 10 }, () =>
    connectHttp2(api.server.url, { ca: authority.cert }),
  );
  const path = `${CONFIG_MAPS}?watch=true&resourceVersion=1`;
  const streams: ClientHttp2Stream[] = [];
  for (const session of sessions) {
    const opened = Array.from({ length: 100 }, () => session.request({ ':path': path }));
    await Promise.all(opened.map((stream) => once(stream, 'response')));
    streams.push(...opened);
  }
  const first = streams.map(async (stream) => {
    let line = '';
    for await (const text of stream.setEncoding('utf8')) {
      line += text;
      if (line.endsWith('\n')) break;
    }
    return JSON.parse(line).object.metadata.name as string;
  });
  await api.client.create(ConfigMap, { metadata: at('news') });
  assert.deepEqual(
    await Promise.all(first),
    Array.from({ length: 1_000 }, () => 'news'),
  );
  for (const session of sessions) session.destroy();
});
