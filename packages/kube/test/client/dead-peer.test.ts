import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { createHttpClient } from '../../src/client/http-client.ts';
import { ConnectionError } from '../../src/errors.ts';
import { startFixture, until } from '../support/tls-api-server-fixture.ts';

/** Passes bytes on until it is frozen; from then on they vanish, as behind a pulled cable. */
const startRelay = async (port: number) => {
  const sockets: Socket[] = [];
  const server = createServer((inner) => {
    const outer = connect(port, '127.0.0.1');
    sockets.push(inner, outer);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      for (const socket of sockets) socket.unpipe().resume();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

test('a watch whose peer has vanished breaks, because no ping is answered', async () => {
  await using f = await startFixture();
  await using relay = await startRelay(Number(new URL(f.server.url).port));
  const server = `https://127.0.0.1:${relay.port}`;
  await using client = createHttpClient(
    { server, caBundle: f.server.ca },
    { clock: f.clock, deadPeerAfterMs: 45_000 },
  );
  const watch = client.watch(ClusterRole)[Symbol.asyncIterator]();
  const first = watch.next();
  await until(() => f.cluster.watches.length === 1);
  await f.direct.create(ClusterRole, { metadata: { name: 'x' } });
  assert.equal((await first).value?.object.metadata.name, 'x');
  await f.clock.advance(45_000);
  await f.direct.create(ClusterRole, { metadata: { name: 'y' } });
  assert.equal((await watch.next()).value?.object.metadata.name, 'y');
  relay.freeze();
  const next = watch.next();
  next.catch(() => {});
  await f.clock.advance(45_000);
  assert.equal(f.clock.pendingTimers, 1);
  await f.clock.advance(45_000);
  await assert.rejects(
    next,
    (error) => error instanceof ConnectionError && error.failure === 'broken',
  );
  assert.equal(f.clock.pendingTimers, 0);
});
