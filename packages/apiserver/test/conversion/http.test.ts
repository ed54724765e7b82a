import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { JsonObject } from '@perigee/schema/json';
import { servedResources } from '../../src/crd/served-resources.ts';
import { WebhookClient } from '../../src/webhook/webhook-client.ts';
import { serveApi } from '../http/http-fixture.ts';
import { namespaces } from '../registry/registry-fixture.ts';
import { CA_BUNDLE, startWebhook } from '../webhook/webhook-server.ts';
import { endpoint, endpointCrd, reviewed, V1 } from './conversion-fixture.ts';

const V2_PATH = '/apis/net.example.com/v2/namespaces/a/endpoints';

const setUp = async () => {
  const webhook = await startWebhook((review) => reviewed(review));
  const webhooks = new WebhookClient({ clock: realClock });
  const clientConfig = { url: webhook.url, caBundle: CA_BUNDLE };
  const crd = endpointCrd({
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1beta1'], clientConfig },
  });
  const resources = [namespaces, ...servedResources(crd, { clock: realClock, webhooks })];
  const api = await serveApi({ resources });
  await api.client.create(V1, endpoint('x', { hostPort: 'h:1' }));
  await api.client.create(V1, endpoint('y', { hostPort: 'i:2' }));
  return {
    ...api,
    ...webhook,
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      webhooks[Symbol.dispose]();
      await webhook[Symbol.asyncDispose]();
    },
  };
};

test('lists, tables and objects are shown in the version of the path', async () => {
  await using f = await setUp();
  const list = await f.call('GET', V2_PATH);
  assert.equal(list.body.apiVersion, 'net.example.com/v2');
  assert.deepEqual(
    (list.body.items as readonly JsonObject[]).map(({ apiVersion, spec }) => [apiVersion, spec]),
    [
      ['net.example.com/v2', { extra: 'one', host: 'h', port: '1' }],
      ['net.example.com/v2', { extra: 'one', host: 'i', port: '2' }],
    ],
  );
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const table = await f.call('GET', V2_PATH, { headers: { accept } });
  assert.equal((table.body.rows as readonly unknown[]).length, 2);
  assert.equal((await f.call('GET', `${V2_PATH}/x`)).body.apiVersion, 'net.example.com/v2');
});

test('a conversion that fails is a Status, without a reason as in Kubernetes', async () => {
  await using f = await setUp();
  f.hook.answer = () => ({ code: 500, text: 'boom' });
  const { code, body } = await f.call('GET', V2_PATH);
  assert.equal(code, 500);
  assert.deepEqual(body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message:
      'conversion webhook for net.example.com/v1, Kind=Endpoint failed: an error on the server ("boom") has prevented the request from succeeding',
    code: 500,
  });
});

test('a watch whose objects cannot be converted ends with the error', async () => {
  await using f = await setUp();
  f.hook.answer = () => ({ code: 500, text: 'boom' });
  const { code, text } = await f.call('GET', `${V2_PATH}?watch=1`);
  assert.equal(code, 200);
  const lines = text.trim().split('\n');
  assert.equal(lines.length, 1);
  const { type, object } = JSON.parse(lines[0] ?? '');
  assert.deepEqual([type, object.code], ['ERROR', 500]);
});
