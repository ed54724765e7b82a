import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { createHttpClient } from '../../src/client/http-client.ts';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { ApiError, ConnectionError } from '../../src/errors.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'x');
let server: Server;
let status = 200;

/** Sends for as long as the client listens. */
const sendForEver = (response: ServerResponse): void => {
  const more = (): void => {
    while (!response.destroyed && response.write(CHUNK));
  };
  response.on('drain', more);
  more();
};

before(async () => {
  server = createServer((_, response) => {
    response.statusCode = status;
    sendForEver(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

after(() => {
  server.closeAllConnections();
  server.close();
});

const failureOf = async (answerStatus: number): Promise<unknown> => {
  status = answerStatus;
  const { port } = server.address() as AddressInfo;
  await using client = createHttpClient(
    { server: `http://127.0.0.1:${port}` },
    { clock: new VirtualClock(), retry: { attempts: 1 }, largestAnswerBytes: 2_000_000 },
  );
  return await client.list(ClusterRole).then(
    () => assert.fail('the list was not to succeed'),
    (reason: unknown) => reason,
  );
};

test('an answer that never ends is not read into memory', async () => {
  const error = await failureOf(200);
  assert.ok(error instanceof ConnectionError, String(error));
  assert.equal(error.failure, 'unintelligible');
  assert.match(error.message, /its answer is larger than an API server sends/);
});

test('a failure whose text never ends is told by its status', async () => {
  const error = await failureOf(403);
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.code, 403);
  assert.ok(error.message.length < 2000, `${error.message.length} characters`);
});
