import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differsBeyondStatus } from '../../src/controller/beyond-status.ts';

const object = (metadata: object = {}, status = 'a') => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: {
    ...{ name: 'a', uid: 'u', generation: 1, resourceVersion: status, creationTimestamp: '' },
    ...metadata,
  },
  status,
});

test('a change of the status alone is none beyond it', () => {
  assert.equal(differsBeyondStatus(object({}, 'b'), object({}, 'a')), false);
});

test('a change of spec or metadata is one, and so is each of a kind without generations', () => {
  const before = object();
  assert.equal(differsBeyondStatus(object({ generation: 2 }), before), true);
  assert.equal(differsBeyondStatus(object({ labels: { a: 'b' } }), before), true);
  assert.equal(differsBeyondStatus(object({ deletionTimestamp: 'now' }), before), true);
  assert.equal(differsBeyondStatus(object({ uid: 'v' }), before), true);
  const bare = object({ generation: undefined });
  assert.equal(differsBeyondStatus(bare, bare), true);
});

test('an object that is new or gone differs', () => {
  assert.equal(differsBeyondStatus(object(), undefined), true);
  assert.equal(differsBeyondStatus(undefined, object()), true);
});
