import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { askApiServer } from '../../../src/clusters/southbound/kubernetes-southbound.ts';
import { memberMessage, memberMessageOf } from '../../../src/members/member-message.ts';

/** Something at an address that a Cluster names, and that is no API server. */
const startStranger = async (code: number, body: string) => {
  const server = createServer((_, response) => response.writeHead(code).end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createHttpClient({ server: `http://127.0.0.1:${port}` }, { clock });
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
};

const SECRET = 'top-secret';
const status = (message: string) => JSON.stringify({ kind: 'Status', reason: 'Evil', message });
const BODIES = [SECRET, JSON.stringify({ token: SECRET }), status(SECRET), `<b>${SECRET}</b>`];
const { signal } = new AbortController();

for (const code of [400, 401, 403, 404, 409, 422]) {
  test(`what a member answers with ${code} is not repeated to those who read clusters`, async () => {
    for (const body of BODIES) {
      await using stranger = await startStranger(code, body);
      const finding = await askApiServer(stranger.client, clock, 10_000, signal);
      assert.equal(finding.kind, 'trouble');
      const message = finding.kind === 'trouble' ? finding.message : '';
      assert.match(message, new RegExp(`^its API server answered with status ${code}`));
      assert.ok(!message.includes(SECRET), message);
    }
  });
}

const failureOf = async (code: number, body: string): Promise<string> => {
  await using stranger = await startStranger(code, body);
  try {
    await stranger.client.create(Namespace, { metadata: { name: 'a' } });
    return 'it did not fail';
  } catch (error) {
    return memberMessage(error);
  }
};

test('a Work tells what a member says of an object, in one line that no terminal obeys', async () => {
  const told = await failureOf(
    422,
    status(`field\u001b[31m x\r\nis\u202e wrong${'!'.repeat(5000)}`),
  );
  assert.match(told, /^field \[31m x is {2}wrong!+…$/);
  assert.ok(told.length < 1100);
});

test('a Work tells nothing of an answer that is no Status', async () => {
  for (const body of [SECRET, JSON.stringify({ token: SECRET })]) {
    assert.equal(await failureOf(422, body), 'the member answered with status 422');
    assert.equal(await failureOf(403, body), 'the member answered with status 403, Forbidden');
  }
});

test('what a member says of a Secret may hold the Secret, and is not repeated', () => {
  const error = new ApiError({ kind: 'Status', code: 422, reason: 'Invalid', message: SECRET });
  assert.equal(
    memberMessageOf({ apiVersion: 'v1', kind: 'Secret' }, error),
    'the member answered with status 422, Invalid',
  );
  assert.equal(memberMessageOf({ apiVersion: 'v1', kind: 'ConfigMap' }, error), SECRET);
});
