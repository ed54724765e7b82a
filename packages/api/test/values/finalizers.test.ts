import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addFinalizer, hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';

test('a finalizer is added and removed once, and found', () => {
  const one = addFinalizer(undefined, 'example.com/a');
  const two = addFinalizer(one, 'example.com/b');
  assert.deepEqual(two, ['example.com/a', 'example.com/b']);
  assert.equal(hasFinalizer({ metadata: { finalizers: two } }, 'example.com/b'), true);
  assert.equal(hasFinalizer({ metadata: { finalizers: one } }, 'example.com/b'), false);
  assert.equal(hasFinalizer({ metadata: {} }, 'example.com/b'), false);
  assert.deepEqual(removeFinalizer(two, 'example.com/a'), ['example.com/b']);
});

test('the same array comes back when nothing changes', () => {
  const finalizers = ['example.com/a'];
  assert.equal(addFinalizer(finalizers, 'example.com/a'), finalizers);
  assert.equal(removeFinalizer(finalizers, 'example.com/b'), finalizers);
});
