import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import type { Answer } from '../webhook/webhook-server.ts';
import {
  convertEndpoint,
  endpoint,
  ref,
  refusedWith,
  reviewed,
  setUpConversion,
  V1,
  V2,
} from './conversion-fixture.ts';

const FOR = 'conversion webhook for net.example.com/v1, Kind=Endpoint';

const withMeta = (change: (meta: JsonObject) => JsonObject) => (review: JsonObject) =>
  reviewed(review, (object, version) => ({
    ...convertEndpoint(object, version),
    metadata: change(isJsonObject(object.metadata) ? object.metadata : {}),
  }));

const withObject = (change: JsonObject) => (review: JsonObject) =>
  reviewed(review, (object, version) => ({ ...convertEndpoint(object, version), ...change }));

const withResponse =
  (change: (response: JsonObject) => JsonObject | undefined) => (review: JsonObject) => {
    const answer = reviewed(review);
    return { ...answer, response: change(answer.response as JsonObject) };
  };

/** Recorded from kube-apiserver 1.36.3, with the same answers to the same request. */
const RECORDED: readonly (readonly [string, (review: JsonObject) => Answer, string])[] = [
  [
    'says why it fails',
    withResponse(({ uid }) => ({ uid, result: { status: 'Failure', message: 'cannot do it' } })),
    `${FOR} failed: cannot do it`,
  ],
  [
    'fails without a word',
    withResponse(({ uid }) => ({ uid, result: { status: 'Failure' } })),
    `${FOR} failed: response.result.status was 'Failure', not 'Success'`,
  ],
  [
    'returns too few',
    withResponse((response) => ({ ...response, convertedObjects: [] })),
    `${FOR} returned 0 objects, expected 1`,
  ],
  ['has no response', withResponse(() => undefined), `${FOR} failed: no response provided`],
  [
    'breaks down',
    () => ({ code: 500, text: 'boom' }),
    `${FOR} failed: an error on the server ("boom") has prevented the request from succeeding`,
  ],
  [
    'is not at its path',
    () => ({ code: 404, text: 'nope' }),
    `${FOR} failed: the server could not find the requested resource`,
  ],
  [
    'renames',
    withMeta((meta) => ({ ...meta, name: 'other' })),
    `${FOR} returned invalid object: must have the same name: x != other`,
  ],
  [
    'moves',
    withMeta((meta) => ({ ...meta, namespace: 'b' })),
    `${FOR} returned invalid object: must have the same namespace: a != b`,
  ],
  [
    'changes the kind',
    withObject({ kind: 'X' }),
    `${FOR} returned invalid object at index 0: invalid kind (expected Endpoint, received X)`,
  ],
  [
    'gives another version',
    withObject({ apiVersion: 'a/b' }),
    `${FOR} returned invalid object at index 0: invalid groupVersion (expected net.example.com/v2, received a/b)`,
  ],
  [
    'forgets the metadata',
    withObject({ metadata: undefined }),
    `${FOR} returned invalid object: must have the same name: x != `,
  ],
  [
    'gives bad labels',
    withMeta((meta) => ({ ...meta, labels: { '-': 'x' } })),
    `${FOR} returned invalid metadata: metadata.labels: Invalid value: "-": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
  ],
  [
    'gives labels that are no text',
    withMeta((meta) => ({ ...meta, labels: { a: 1 } })),
    `${FOR} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
  ],
  [
    'gives labels that are none',
    withMeta((meta) => ({ ...meta, labels: 'x' })),
    `${FOR} returned invalid metadata: invalid metadata.labels of type string in converted object`,
  ],
];

for (const [what, answer, message] of RECORDED) {
  test(`a webhook that ${what} is an error of 500`, async () => {
    await using f = await setUpConversion();
    await f.client.create(V1, endpoint('x', { hostPort: 'h:1' }));
    f.hook.answer = answer;
    await assert.rejects(f.client.get(V2, ref('x')), refusedWith(500, message));
  });
}

test('a webhook must answer the review that it got', async () => {
  await using f = await setUpConversion();
  await f.client.create(V1, endpoint('x', { hostPort: 'h:1' }));
  f.hook.answer = withResponse((response) => ({ ...response, uid: 'nope' }));
  await assert.rejects(
    f.client.get(V2, ref('x')),
    refusedWith(500, /^conversion webhook .* failed: expected response\.uid="[^"]+", got "nope"$/),
  );
  f.hook.answer = withMeta((meta) => ({ ...meta, uid: 'nope' }));
  await assert.rejects(
    f.client.get(V2, ref('x')),
    refusedWith(500, /returned invalid object: must have the same UID: .* != nope$/),
  );
});

test('a webhook changes labels and annotations, and nothing else of the metadata', async () => {
  await using f = await setUpConversion();
  await f.client.create(V1, endpoint('x', { hostPort: 'h:1' }, { labels: { x: 'y' } }));
  f.hook.answer = withMeta((meta) => ({
    ...meta,
    labels: { z: '1' },
    annotations: { note: 'converted' },
    finalizers: ['a/b'],
    generation: 7,
    resourceVersion: '1',
  }));
  const [old, converted] = await Promise.all([
    f.client.get(V1, ref('x')),
    f.client.get(V2, ref('x')),
  ]);
  const { labels, annotations, ...others } = converted.metadata;
  assert.deepEqual(labels, { z: '1' });
  assert.deepEqual(annotations, { note: 'converted' });
  const { labels: _, ...before } = old.metadata;
  assert.deepEqual(others, before);
});

test('a webhook that is away fails what needs it, and nothing else', async () => {
  await using f = await setUpConversion();
  await f.client.create(V1, endpoint('x', { hostPort: 'h:1' }));
  f.serve('v1', 'https://127.0.0.1:1/x');
  const failed = refusedWith(500, /^conversion webhook for .* failed: Post "https:.*ECONNREFUSED/);
  await assert.rejects(f.client.get(V2, ref('x')), failed);
  await assert.rejects(f.client.list(V2), failed);
  await assert.rejects(f.client.create(V2, endpoint('y', { host: 'h', port: '1' })), failed);
  await assert.rejects(f.client.delete(V2, ref('x')), failed);
  assert.equal((await f.client.get(V1, ref('x'))).spec.hostPort, 'h:1');
  assert.equal((await f.client.list(V1)).items.length, 1);
  await f.widget('w');
  await f.client.delete(V1, ref('x'));
  assert.deepEqual((await f.client.list(V2)).items, []);
});
