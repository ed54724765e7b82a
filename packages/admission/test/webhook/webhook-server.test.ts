import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { realClock } from '@perigee/kube/clock/real-clock';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { MUTATING, VALIDATING } from '../../../apiserver/test/admission/admission-fixture.ts';
import { startServer } from '../../../apiserver/test/embedded/embedded-fixture.ts';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { startAdmissionServer } from '../../src/webhook/admission-server.ts';
import { webhookConfigurations } from '../../src/webhook/webhook-configurations.ts';

const authority = createAuthority();
const tls = authority.issue({ commonName: 'hook', usage: 'server', names: ['127.0.0.1'] });

const post = (url: string, body: string, method = 'POST'): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request(url, { method, ca: authority.cert, agent: false }, (response) => {
    response.resume();
    response.on('end', () => resolve(response.statusCode ?? 0));
  })
    .on('error', reject)
    .end(body);
  return promise;
};

test('what is no review is refused', async () => {
  await using server = await startAdmissionServer({
    clock: realClock,
    tls,
    isAllowed: async () => true,
  });
  assert.equal(await post(`${server.url}/mutate`, 'nonsense'), 400);
  assert.equal(await post(`${server.url}/mutate`, '[]'), 400);
  assert.equal(await post(`${server.url}/validate`, '{"kind":"AdmissionReview"}'), 400);
  assert.equal(await post(`${server.url}/mutate`, '', 'PUT'), 405);
  assert.equal(await post(`${server.url}/other`, '{}'), 404);
  assert.equal(await post(`${server.url}/readyz`, ''), 200);
});

test('a connection on which nobody asks anything does not hold up its end', async () => {
  // A clock that stands still never cuts anybody off.
  const server = await startAdmissionServer({
    clock: new VirtualClock(),
    tls,
    isAllowed: async () => true,
  });
  const { hostname: host, port } = new URL(server.url);
  const socket = connect({ host, port: Number(port), ca: authority.cert });
  await once(socket, 'secureConnect');
  const cutOff = once(socket, 'close');
  socket.on('error', () => {});
  await server[Symbol.asyncDispose]();
  await cutOff;
});

test('kinds of others are none of its business', async () => {
  await using server = await startAdmissionServer({
    clock: realClock,
    tls,
    isAllowed: async () => true,
  });
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', kind, object: { metadata: { name: 'one' } } },
  };
  assert.equal(await post(`${server.url}/mutate`, JSON.stringify(review)), 200);
});

test('the configurations are about every kind, and are taken by an API server', async () => {
  await using api = await startServer();
  const caBundle = Buffer.from(authority.cert).toString('base64');
  const service = { namespace: 'perigee-system', name: 'perigee-webhook' };
  for (const target of [
    { url: 'https://127.0.0.1:9443/', caBundle },
    { service, caBundle },
  ]) {
    const [mutating, validating] = webhookConfigurations(target);
    assert.equal((await api.send('POST', `${MUTATING}?dryRun=All`, mutating)).code, 201);
    assert.equal((await api.send('POST', `${VALIDATING}?dryRun=All`, validating)).code, 201);
    const [webhook] = mutating.webhooks as { rules: { resources: string[] }[] }[];
    const resources = webhook?.rules.flatMap((rule) => rule.resources);
    assert.equal(resources?.length, allKinds.length);
  }
  const chosen = allKinds.filter(({ plural }) => plural === 'datasources');
  for (const { webhooks } of webhookConfigurations({ service, caBundle }, 'perigee', chosen)) {
    const rules = (webhooks as { rules: { resources: string[] }[] }[]).flatMap((one) => one.rules);
    assert.deepEqual(
      rules.map((rule) => rule.resources),
      [['datasources']],
    );
  }
});
