import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ConfigError, isAlreadyExists, isConflict, isNotFound } from '@perigee/kube/errors';
import { Informer } from '@perigee/kube/informer/informer';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { openApiServer } from '../../src/http/api-server.ts';
import { at, type Thing, Widget } from '../registry/registry-fixture.ts';
import { serveApi, WIDGETS } from './http-fixture.ts';

const authority = createAuthority();
const tls = authority.issue({ commonName: 'server', usage: 'server', names: ['127.0.0.1'] });

test('over TLS the server speaks HTTP/2 and HTTP/1.1', async () => {
  await using api = await serveApi({ server: { tls } });
  assert.match(api.server.url, /^https:/);
  const session = connect(api.server.url, { ca: authority.cert });
  const stream = session.request({ ':path': '/version' });
  let text = '';
  stream.setEncoding('utf8');
  for await (const part of stream) text += part;
  session.close();
  assert.equal(JSON.parse(text).gitVersion, 'v1.36.0+test');
});

test('a client over the network gets what a client in the process gets', async () => {
  await using api = await serveApi({ server: { tls } });
  await using remote = createHttpClient(
    { server: api.server.url, caBundle: authority.cert },
    { clock: realClock },
  );
  const created = await remote.create(Widget, { metadata: at('x'), spec: { size: 1 } });
  assert.deepEqual(await api.client.get(Widget, at('x')), created);
  await assert.rejects(
    remote.create(Widget, { metadata: at('x'), spec: { size: 1 } }),
    isAlreadyExists,
  );
  const updated = await remote.update(Widget, { ...created, spec: { size: 2 } });
  await assert.rejects(remote.update(Widget, { ...created, spec: { size: 3 } }), isConflict);
  assert.deepEqual((await remote.list(Widget)).items, (await api.client.list(Widget)).items);
  await remote.patch(Widget, at('x'), { type: 'merge', body: { spec: { size: 4 } } });
  assert.deepEqual(await remote.discover(), await api.client.discover());
  await using informer = new Informer<Thing>({ client: remote, clock: realClock, kind: Widget });
  const sizes: unknown[] = [];
  const last = Promise.withResolvers<void>();
  informer.addHandler({
    onAdd: ({ spec }) => void sizes.push(spec?.size),
    onUpdate: ({ spec }) => void sizes.push(spec?.size),
    onDelete: () => last.resolve(),
  });
  informer.start();
  await informer.synced;
  await api.client.patch(Widget, at('x'), { type: 'merge', body: { spec: { size: 5 } } });
  await remote.delete(Widget, at('x'), { preconditions: { uid: updated.metadata.uid } });
  await last.promise;
  assert.deepEqual(sizes, [4, 5]);
  await assert.rejects(remote.get(Widget, at('x')), isNotFound);
});

test('a server that stops ends its watches and finishes its answers', async () => {
  const api = await serveApi();
  const watching = await fetch(`${api.server.url}${WIDGETS}?watch=true`);
  await api[Symbol.asyncDispose]();
  assert.equal(await watching.text(), '');
  await assert.rejects(fetch(api.server.url), TypeError);
});

test('an address that is taken is named in the error', async () => {
  await using api = await serveApi();
  const port = Number(new URL(api.server.url).port);
  await assert.rejects(openApiServer({ clock: realClock, port }), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}`));
    return true;
  });
});
