import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { parseOrder } from '../../packages/mover/src/order.ts';
import { processClock } from '../../packages/mover/src/process-clock.ts';
import { type Served, serve } from '../../packages/mover/src/serve/serve.ts';
import { serveOrderIn } from '../../packages/mover/src/serve/serve-order.ts';
import { failureOf, runOrder } from '../../packages/mover/test/support/run.ts';
import { look, plant } from '../../packages/mover/test/support/trees.ts';
import { isListening, openTransfer, PIECE, sha256 } from './open-transfer.ts';

const start = async (text: string) => {
  const order = serveOrderIn(text);
  if (order === undefined) throw new Error('this is no order to serve');
  const stopped = new AbortController();
  const { promise: port, resolve } = Promise.withResolvers<number>();
  const options = { clock: processClock, signal: stopped.signal, onListening: resolve };
  const ended: Promise<Served | Error> = serve(order, options).catch((error: Error) => error);
  return { port: await port, ended, stop: () => stopped.abort() };
};

const connectTo = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
};

const pull = (text: string) => runOrder(parseOrder(text));

describe('a tree goes from one machine to another', () => {
  it('with everything that counts of it, and nothing listens afterwards', async () => {
    using transfer = openTransfer();
    plant(transfer.at('a/tree'), {
      'a.txt': 'hello',
      empty: '',
      'deep/er/b.bin': randomBytes(PIECE + 12_345),
      'deep/link': '-> er/b.bin',
      'no files': undefined,
    });
    const server = await start(transfer.toServe());
    const { files, links, bytes } = await pull(transfer.toPull(server.port));
    assert.deepEqual([files, links, bytes], [3, 1, PIECE + 12_350]);
    assert.deepEqual(look(transfer.at('b/tree')), look(transfer.at('a/tree')));
    assert.deepEqual(await server.ended, { bytesSent: PIECE + 12_350, refusedRequests: 0 });
    assert.equal(await isListening(server.port), false);
  });

  it('not with the token of another transfer, and not from a server with another certificate', async () => {
    using transfer = openTransfer();
    using other = openTransfer();
    plant(transfer.at('a/tree'), { a: 'secret' });
    const server = await start(transfer.toServe());
    const { port } = server;
    const stolen = transfer.toPull(port, { tokenFile: other.at('token') });
    assert.match(
      await failureOf(() => pull(stolen)),
      /^EndpointUnavailable.*401.*not good any more/,
    );
    const misled = transfer.toPull(port, { pinnedCertificate: 'ab'.repeat(32) });
    assert.match(await failureOf(() => pull(misled)), /^EndpointUntrusted/);
    assert.equal(existsSync(transfer.at('b/tree')), false);
    server.stop();
    assert.match(String(await server.ended), /it was stopped/);
    assert.equal(await isListening(port), false);
  });

  it('to the fifth cluster, too, while four others keep all of their connections', async () => {
    using transfer = openTransfer();
    plant(transfer.at('a/tree'), { a: 'hello' });
    const others = ['1', '2', '3', '4'];
    const tokens = [...others, transfer.token].map(sha256);
    const server = await start(transfer.toServe({ tokens }));
    // 8 threads of each, with 8 files under way.
    const idle = await Promise.all(
      others.flatMap(() => Array.from({ length: 64 }, () => connectTo(server.port))),
    );
    try {
      assert.equal((await pull(transfer.toPull(server.port))).files, 1);
    } finally {
      for (const socket of idle) socket.destroy();
      server.stop();
      await server.ended;
    }
  });

  it('whoever takes the place of the server gets nothing, not even the token', async () => {
    using transfer = openTransfer();
    using impostor = openTransfer();
    let requests = 0;
    const files = {
      key: readFileSync(impostor.at('key')),
      cert: readFileSync(impostor.at('cert')),
    };
    const server = createServer(files, (_, response) => {
      requests++;
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    assert.match(await failureOf(() => pull(transfer.toPull(port))), /^EndpointUntrusted/);
    assert.equal(requests, 0);
    assert.equal(existsSync(transfer.at('b/tree')), false);
    server.close();
    server.closeAllConnections();
  });

  it('a server that starts again takes no token that its order does not have any more', async () => {
    using transfer = openTransfer();
    plant(transfer.at('a/tree'), { a: 'hello' });
    const server = await start(transfer.toServe({ tokens: [sha256('of-another-cluster')] }));
    assert.match(
      await failureOf(() => pull(transfer.toPull(server.port))),
      /^EndpointUnavailable.*401.*not good any more/,
    );
    server.stop();
    await server.ended;
  });

  it('a token that was used to the end is refused while another mover still copies', async () => {
    using transfer = openTransfer();
    plant(transfer.at('a/tree'), { a: 'hello' });
    const tokens = [sha256(transfer.token), sha256('of-another-cluster')];
    const server = await start(transfer.toServe({ tokens }));
    const text = transfer.toPull(server.port);
    assert.equal((await pull(text)).filesCopied, 1);
    assert.equal(await isListening(server.port), true, 'the other one has not copied it yet');
    assert.match(await failureOf(() => pull(text)), /^EndpointUnavailable.*401.*not good any more/);
    writeFileSync(transfer.at('token'), 'of-another-cluster');
    assert.equal((await pull(text)).filesCopied, 0);
    assert.deepEqual(await server.ended, { bytesSent: 5, refusedRequests: 1 });
  });

  it('a path that leads out of the tree is not served', async () => {
    using transfer = openTransfer();
    plant(transfer.at('a'), { 'tree/a': 'hello', 'tree/out': '-> ../secret', secret: 'secret' });
    const server = await start(transfer.toServe());
    const ask = (path: string): Promise<number> =>
      new Promise((resolve, reject) => {
        request(
          {
            host: '127.0.0.1',
            port: server.port,
            path: `/0/file?path=${Buffer.from(path).toString('base64url')}`,
            headers: { authorization: `Bearer ${transfer.token}`, range: 'bytes=0-1' },
            rejectUnauthorized: false,
          },
          ({ statusCode = 0 }) => resolve(statusCode),
        )
          .on('error', reject)
          .end();
      });
    assert.equal(await ask('../secret'), 404);
    assert.equal(await ask('out'), 404, 'a link is no file');
    assert.equal(await ask('out/secret'), 404);
    assert.equal(await ask('/etc/passwd'), 404);
    assert.equal(await ask('a'), 412, 'there it is, for whoever says which version is meant');
    server.stop();
    await server.ended;
  });
});
