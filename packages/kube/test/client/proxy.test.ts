import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ConnectionError } from '../../src/errors.ts';
import { startFixture } from '../support/tls-api-server-fixture.ts';

/** A proxy that passes every connection on, or none. */
const startProxy = async (open: boolean) => {
  const asked: string[] = [];
  const server = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    if (!open) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const [host, port] = (request.url ?? '').split(':');
    const target = connect(Number(port), host);
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    socket.pipe(target).pipe(socket);
    socket.on('error', () => target.destroy());
    target.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, url, [Symbol.asyncDispose]: async () => void server.close() };
};

test('requests and watches go through the proxy', async () => {
  await using proxy = await startProxy(true);
  await using f = await startFixture({ config: { proxyUrl: proxy.url } });
  await f.client.create(ClusterRole, { metadata: { name: 'r' } });
  for await (const { object } of f.client.watch(ClusterRole)) {
    assert.equal(object.metadata.name, 'r');
    break;
  }
  assert.deepEqual(
    f.server.requests.map(({ httpVersion }) => httpVersion),
    ['1.1', '2.0'],
  );
  assert.deepEqual(new Set(proxy.asked), new Set([new URL(f.server.url).host]));
});

test('a proxy that lets nothing through is told of', async () => {
  await using proxy = await startProxy(false);
  await using f = await startFixture({
    config: { proxyUrl: proxy.url },
    client: { retry: { attempts: 1 } },
  });
  await assert.rejects(f.client.list(ClusterRole), (error) => {
    assert.ok(error instanceof ConnectionError);
    const { host } = new URL(proxy.url);
    assert.equal(
      error.message,
      `cannot use ${f.server.url} through the proxy ${host}: the proxy does not let the connection through; check proxy-url`,
    );
    return true;
  });
});
