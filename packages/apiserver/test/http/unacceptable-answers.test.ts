import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { CONFIG_MAPS, serveApi } from './http-fixture.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

const post = (accept: string, body: object) => ({
  body: JSON.stringify(body),
  headers: { accept, 'content-type': 'application/json' },
});

test('who cannot be answered has nothing done', async () => {
  await using api = await serveApi();
  const init = post('text/html', { metadata: { name: 'x' } });
  assert.equal((await api.call('POST', CONFIG_MAPS, init)).code, 406);
  assert.equal((await api.call('GET', `${CONFIG_MAPS}/x`)).code, 404);
});

test('what came of a review is in no table', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const review = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };
  const { code, body } = await api.call('POST', REVIEWS, post(TABLE, review));
  assert.deepEqual([code, body.reason], [406, 'NotAcceptable']);
  const either = await api.call('POST', REVIEWS, post(`${TABLE},application/json`, review));
  assert.deepEqual([either.code, either.body.kind], [201, 'SelfSubjectAccessReview']);
});
