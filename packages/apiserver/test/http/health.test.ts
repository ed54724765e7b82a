import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { openApiServer } from '../../src/http/api-server.ts';
import { CONFIG_MAPS, serveApi } from './http-fixture.ts';

test('probes print what kube-apiserver prints', async () => {
  await using api = await serveApi();
  const says = async (path: string) => {
    const { code, text } = await api.call('GET', path);
    return `${code} ${text}`;
  };
  for (const path of ['/healthz', '/livez', '/readyz', '/readyz/ping', '/readyz/shutdown']) {
    assert.equal(await says(path), '200 ok', path);
  }
  assert.equal(
    await says('/readyz?verbose'),
    '200 [+]ping ok\n[+]poststarthook/crd-informer-synced ok\n[+]shutdown ok\nreadyz check passed\n',
  );
  assert.equal(
    await says('/livez?verbose&exclude=ping&exclude=nope'),
    '200 [+]ping excluded: ok\nwarn: some health checks cannot be excluded: no matches for "nope"\nlivez check passed\n',
  );
  assert.equal(await says('/readyz/nope'), '404 404 page not found\n');
  assert.equal(await says('/livez/shutdown'), '404 404 page not found\n');
});

test('a server lives before it serves, and is not ready', async () => {
  await using server = await openApiServer({ clock: realClock });
  const says = async (path: string) => {
    const response = await fetch(server.url + path);
    return `${response.status} ${await response.text()}`;
  };
  assert.equal(await says('/livez'), '200 ok');
  assert.equal(
    await says('/readyz'),
    '500 [+]ping ok\n[-]poststarthook/crd-informer-synced failed: reason withheld\n[+]shutdown ok\nreadyz check failed\n',
  );
  assert.equal(
    await says('/readyz/poststarthook/crd-informer-synced'),
    '500 internal server error: the stored definitions are not served yet\n',
  );
});

test('a server that stops says so to who is still connected', async () => {
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const authorize = async ({ path }: { readonly path: string }) => {
    if (path !== CONFIG_MAPS) return;
    entered.resolve();
    await leave.promise;
  };
  const api = await serveApi({ api: { authorize } });
  const prober = connect(Number(new URL(api.server.url).port), '127.0.0.1');
  let answer = '';
  prober.on('data', (part) => {
    answer += part;
  });
  await once(prober, 'connect');
  // A connection on which nothing has begun would be closed at once.
  prober.write('GET /readyz HTTP/1.1\r\n');
  const busy = api.call('GET', CONFIG_MAPS);
  await entered.promise;
  const closed = api[Symbol.asyncDispose]();
  prober.end('host: x\r\n\r\n');
  await once(prober, 'close');
  leave.resolve();
  assert.equal((await busy).code, 200);
  await closed;
  assert.match(answer, /^HTTP\/1\.1 500 .*\[-\]shutdown failed: reason withheld\n/s);
});
