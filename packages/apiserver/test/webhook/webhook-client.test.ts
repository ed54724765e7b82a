import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { JsonObject } from '@perigee/schema/json';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { WebhookError } from '../../src/errors.ts';
import { type ResolveService, webhookAddress } from '../../src/webhook/webhook-address.ts';
import { WebhookClient } from '../../src/webhook/webhook-client.ts';
import { type Answer, CA_BUNDLE, startWebhook } from './webhook-server.ts';

const TIMEOUT = { timeoutMs: 30_000 };

const setUp = async (
  answer: (body: JsonObject) => Answer | Promise<Answer>,
  resolveService?: ResolveService,
) => {
  const webhook = await startWebhook(answer);
  const clock = new VirtualClock();
  const client = new WebhookClient({ clock, ...(resolveService ? { resolveService } : {}) });
  const call = (config: JsonObject) =>
    client.call(
      webhookAddress({ url: webhook.url, caBundle: CA_BUNDLE, ...config }),
      { a: 1 },
      TIMEOUT,
    );
  return {
    ...webhook,
    clock,
    call,
    [Symbol.asyncDispose]: async () => {
      client[Symbol.dispose]();
      await webhook[Symbol.asyncDispose]();
    },
  };
};

const failure = (message: RegExp | string) => (error: unknown) => {
  assert.ok(error instanceof WebhookError, String(error));
  if (typeof message === 'string') assert.equal(error.message, message);
  else assert.match(error.message, message);
  return true;
};

test('a webhook gets the object at its path, and its answer comes back', async () => {
  await using f = await setUp((body) => ({ got: body }));
  assert.deepEqual(await f.call({}), { got: { a: 1 } });
  assert.deepEqual(
    f.calls.map(({ path }) => path),
    ['/convert?timeout=30s'],
  );
});

test('a webhook that is a service is reached where it is resolved to, under its own name', async () => {
  let port = 0;
  const asked: unknown[] = [];
  await using f = await setUp(
    () => ({ ok: true }),
    async (service) => {
      asked.push(service);
      return { host: '127.0.0.1', port };
    },
  );
  port = f.port;
  const service = { namespace: 'shop', name: 'hook', path: '/x' };
  const address = webhookAddress({ service, caBundle: CA_BUNDLE });
  assert.equal(address.url.href, 'https://hook.shop.svc/x');
  assert.deepEqual(await f.call({ url: undefined, service }), { ok: true });
  assert.deepEqual(asked, [{ namespace: 'shop', name: 'hook', port: 443 }]);
  assert.deepEqual(
    f.calls.map(({ path, serverName }) => [path, serverName]),
    [['/x?timeout=30s', 'hook.shop.svc']],
  );
});

test('a service that nobody can resolve is told with what to do', async () => {
  await using f = await setUp(() => ({}));
  const service = { namespace: 'shop', name: 'hook', port: 8443 };
  await assert.rejects(
    f.call({ url: undefined, service }),
    failure(
      'the service shop/hook cannot be reached from this server: give the webhook a url in its clientConfig, or start the server with resolveService',
    ),
  );
});

test('a webhook with a certificate of somebody else is not trusted', async () => {
  await using f = await setUp(() => ({}));
  const other = Buffer.from(createAuthority('other').cert).toString('base64');
  await assert.rejects(f.call({ caBundle: other }), failure(/^Post "https:.*timeout=30s": .*cert/));
  await assert.rejects(f.call({ caBundle: ' ' }), failure(/^Post "https:.*timeout=30s": .*cert/));
  assert.deepEqual(f.calls, []);
});

test('a webhook that does not answer is given up after its time', async () => {
  const called = Promise.withResolvers<void>();
  await using f = await setUp(() => {
    called.resolve();
    return 'nothing';
  });
  const outcome = assert.rejects(f.call({}), failure(/timeout=30s": context deadline exceeded$/));
  await called.promise;
  await f.clock.advance(30_000);
  await outcome;
});

test('a webhook that is not there is told', async () => {
  await using f = await setUp(() => ({}));
  await assert.rejects(
    f.call({ url: 'https://127.0.0.1:1/x' }),
    failure(/^Post "https:\/\/127\.0\.0\.1:1\/x\?timeout=30s": .*ECONNREFUSED/),
  );
});

const REFUSED: readonly (readonly [number, string, string | RegExp])[] = [
  [302, '', 'the webhook redirects (302), which is not followed'],
  [404, 'nope', 'the server could not find the requested resource'],
  [500, 'boom', 'an error on the server ("boom") has prevented the request from succeeding'],
  [403, 'no', 'the server responded with the status code 403: "no"'],
  [200, '{oops', 'the answer is no JSON: "{oops"'],
  [200, '[1]', 'the answer is no JSON object: "[1]"'],
];

test('an answer that is none is told in few words', async () => {
  for (const [code, text, message] of REFUSED) {
    await using f = await setUp(() => ({ code, text }));
    await assert.rejects(f.call({}), failure(message));
  }
});
