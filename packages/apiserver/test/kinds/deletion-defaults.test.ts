import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { serveApi } from '../http/http-fixture.ts';

const JOBS = '/apis/batch/v1/namespaces/a/jobs';
const PODS = '/api/v1/namespaces/a/pods';
const POD = { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' };

const metadataOf = (body: JsonObject): JsonObject => body.metadata as JsonObject;

test('a job that is deleted without a word about its pods leaves them', async () => {
  await using api = await serveApi({ resources: serverResources() });
  await api.send('POST', JOBS, { metadata: { name: 'j' }, spec: { template: { spec: POD } } });
  const { body } = await api.call('DELETE', `${JOBS}/j`);
  assert.deepEqual(metadataOf(body).finalizers, ['orphan']);
});

test('a job whose pods are to go as well is gone at once', async () => {
  await using api = await serveApi({ resources: serverResources() });
  await api.send('POST', JOBS, { metadata: { name: 'j' }, spec: { template: { spec: POD } } });
  await api.call('DELETE', `${JOBS}/j?propagationPolicy=Background`);
  assert.equal((await api.call('GET', `${JOBS}/j`)).code, 404);
});

test('who creates over an object that ends is told so', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const pod = { metadata: { name: 'p', finalizers: ['example.com/x'] }, spec: POD };
  await api.send('POST', PODS, pod);
  assert.match(String((await api.send('POST', PODS, pod)).body.message), /^pods "p" already/);
  await api.call('DELETE', `${PODS}/p`);
  const { code, body } = await api.send('POST', PODS, pod);
  assert.equal(code, 409);
  assert.equal(body.message, 'object is being deleted: pods "p" already exists');
});

test('watchers hear that a pod ends before it is gone', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const { body } = await api.send('POST', PODS, { metadata: { name: 'p' }, spec: POD });
  await api.call('DELETE', `${PODS}/p`);
  const since = metadataOf(body).resourceVersion;
  const path = `${PODS}?watch=true&timeoutSeconds=1&resourceVersion=${since}`;
  const { text } = await api.call('GET', path);
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; object: JsonObject });
  assert.deepEqual(
    events.map(({ type, object }) => [type, metadataOf(object).deletionGracePeriodSeconds]),
    [
      ['MODIFIED', 0],
      ['DELETED', 0],
    ],
  );
});
