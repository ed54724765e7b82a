import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { MASTERS } from '@perigee/kubernetes/authorization/attributes';
import { CONFIG_MAPS, serveApi } from '../http/http-fixture.ts';

/** Everybody is who they say they are. */
const authorize = ({ headers }: { headers: { readonly [name: string]: unknown } }) => {
  const name = `${headers['x-user']}`;
  return { name, groups: name === 'admin' ? [MASTERS] : [] };
};

const serve = (limits: NonNullable<Parameters<typeof serveApi>[0]>['server']) =>
  serveApi({ server: limits ?? {}, api: { authorize } });

const configMap = (name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** A creation whose body is yet to come. */
const slowCreation = async (url: string, user: string, name: string, query = '') => {
  const headers = { 'x-user': user, 'content-type': 'application/json' };
  const sent = request(`${url}${CONFIG_MAPS}${query}`, { method: 'POST', headers });
  const answered = once(sent, 'response').then(async ([response]: IncomingMessage[]) => ({
    code: response?.statusCode,
    retryAfter: response?.headers['retry-after'],
    body: JSON.parse(await text(response as IncomingMessage)) as { readonly message?: string },
  }));
  sent.on('error', () => {});
  const body = configMap(name);
  sent.write(body.slice(0, 10));
  return { answered, finish: () => void sent.end(body.slice(10)) };
};

/** Resolves when a line of the metrics says so. */
const measured = async (
  call: Awaited<ReturnType<typeof serve>>['call'],
  line: RegExp,
): Promise<void> => {
  const headers = { 'x-user': 'admin' };
  while (!line.test((await call('GET', '/metrics', { headers })).text));
};

const WRITING = /^apiserver_current_inflight_requests\{request_kind="mutating"\} (\d+)$/m;
const inFlight = (count: number) => new RegExp(WRITING.source.replace('(\\d+)', `${count}`), 'm');
const waiting = (count: number) =>
  new RegExp(`^apiserver_flowcontrol_current_inqueue_requests ${count}$`, 'm');

describe('limits', () => {
  it('serves another user before the further requests of a greedy one', async () => {
    await using api = await serve({ limits: { writing: 1 } });
    const { url } = api.server;
    const first = await slowCreation(url, 'greedy', 'first');
    await measured(api.call, inFlight(1));
    const done: string[] = [];
    const create = (user: string, name: string) =>
      api
        .call('POST', CONFIG_MAPS, {
          body: configMap(name),
          headers: { 'x-user': user, 'content-type': 'application/json' },
        })
        .then(({ code }) => done.push(`${user} ${code}`));
    const later = [];
    for (let at = 0; at < 20; at += 1) later.push(create('greedy', `greedy${at}`));
    await measured(api.call, waiting(20));
    later.push(create('other', 'other'));
    await measured(api.call, waiting(21));
    first.finish();
    await Promise.all([first.answered, ...later]);
    assert.equal(done.length, 21);
    assert.ok(done.indexOf('other 201') <= 2, `${done}`);
  });

  it('refuses with 429 what finds the queue full, and lets administrators pass', async () => {
    await using api = await serve({ limits: { writing: 1, waitingPerUser: 1 } });
    const { url } = api.server;
    const first = await slowCreation(url, 'greedy', 'first');
    await measured(api.call, inFlight(1));
    const second = await slowCreation(url, 'greedy', 'second');
    await measured(api.call, waiting(1));
    const third = await (await slowCreation(url, 'greedy', 'third')).answered;
    assert.deepEqual(
      [third.code, third.retryAfter, third.body.message],
      [429, '1', 'Too many requests, please try again later.'],
    );
    const admin = await slowCreation(url, 'admin', 'admin');
    admin.finish();
    assert.equal((await admin.answered).code, 201);
    first.finish();
    second.finish();
    assert.deepEqual([(await first.answered).code, (await second.answered).code], [201, 201]);
  });

  it('refuses with 429 what waited too long', async () => {
    await using api = await serve({ limits: { writing: 1, longestWaitMs: 10 } });
    const first = await slowCreation(api.server.url, 'greedy', 'first');
    await measured(api.call, inFlight(1));
    const second = await slowCreation(api.server.url, 'greedy', 'second');
    assert.equal((await second.answered).code, 429);
    first.finish();
    await first.answered;
  });

  it('answers 504 when the time is up that the client gave', async () => {
    await using api = await serve({});
    const late = await slowCreation(api.server.url, 'user', 'late', '?timeout=20ms');
    const { code, body } = await late.answered;
    assert.deepEqual(
      [code, body.message],
      [504, 'Timeout: request did not complete within the allotted timeout'],
    );
  });

  it('answers 504 when the time is up that the server gives, whatever the client wants', async () => {
    await using api = await serve({ limits: { longestRequestMs: 20 } });
    const late = await slowCreation(api.server.url, 'user', 'late', '?timeout=1h');
    assert.equal((await late.answered).code, 504);
  });

  it('refuses a time that is none', async () => {
    await using api = await serve({});
    const { code, body } = await api.call('GET', `${CONFIG_MAPS}?timeout=abc`);
    assert.deepEqual(
      [code, body.message],
      [400, 'invalid timeout specified in the request URL - time: invalid duration "abc"'],
    );
  });

  it('bounds the watches of a user', async () => {
    await using api = await serve({ limits: { watchesPerUser: 1 }, graceMs: 0 });
    const watch = (user: string, signal?: AbortSignal) =>
      fetch(`${api.server.url}${CONFIG_MAPS}?watch=1`, {
        headers: { 'x-user': user },
        ...(signal === undefined ? {} : { signal }),
      });
    const gone = new AbortController();
    const open = await watch('a', gone.signal);
    const codes = [open.status, (await watch('a')).status, (await watch('b')).status];
    assert.deepEqual(codes, [200, 429, 200]);
    gone.abort();
    while ((await watch('a')).status !== 200);
  });
});
