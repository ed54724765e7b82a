import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differsBeyondStatus } from '../../src/controller/beyond-status.ts';

const object = (metadata: object = {}, content: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: {
    ...{ name: 'a', uid: 'u', generation: 1, resourceVersion: '1', creationTimestamp: '' },
    ...metadata,
  },
  ...content,
});

test('a change of the status alone is none beyond it', () => {
  const spec = { replicas: 1 };
  const before = object({}, { spec, status: 'a' });
  assert.equal(differsBeyondStatus(object({ resourceVersion: '2' }, { spec }), before), false);
  const after = object({ resourceVersion: '2' }, { spec: { ...spec }, status: 'b' });
  assert.equal(differsBeyondStatus(after, before), false);
});

test('a change of anything else is one', () => {
  const before = object();
  assert.equal(differsBeyondStatus(object({ generation: 2 }), before), true);
  assert.equal(differsBeyondStatus(object({ labels: { a: 'b' } }), before), true);
  assert.equal(differsBeyondStatus(object({ deletionTimestamp: 'now' }), before), true);
  assert.equal(differsBeyondStatus(object({ uid: 'v' }), before), true);
});

test('a change of content is one where the generation stays, as that of a PriorityClass', () => {
  assert.equal(differsBeyondStatus(object({}, { value: 2 }), object({}, { value: 1 })), true);
});

test('an object that is new or gone differs', () => {
  assert.equal(differsBeyondStatus(object(), undefined), true);
  assert.equal(differsBeyondStatus(undefined, object()), true);
});
