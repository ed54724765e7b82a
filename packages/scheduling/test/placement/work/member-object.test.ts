import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isOf,
  isSettled,
  mayReplace,
  sameContent,
  withoutMarks,
  withRetention,
} from '@perigee/scheduling/placement/work/member-object';
import type { JsonObject } from '@perigee/schema/json';

const KNOWN = { apiVersion: 'v1', kind: 'ConfigMap' };
const MANAGED = { 'karmada.io/managed': 'true' };

const object = (metadata: JsonObject, body: JsonObject = {}): JsonObject => ({
  ...KNOWN,
  metadata: { name: 'x', namespace: 'n', ...metadata },
  ...body,
});

test('what the cluster decides stays, what the control plane put there and took away goes', () => {
  const manifest = object(
    { labels: { a: 'new' }, annotations: { note: 'ours' } },
    { data: { k: 'v' } },
  );
  const observed = object(
    {
      resourceVersion: '7',
      uid: 'u',
      finalizers: ['f'],
      ownerReferences: [{ name: 'o' }],
      labels: { a: 'old', gone: '1', theirs: '1' },
      annotations: {
        'resourcetemplate.karmada.io/managed-labels': 'a,gone',
        'resourcetemplate.karmada.io/managed-annotations': 'note,past',
        past: '1',
        theirs: '1',
      },
    },
    { data: { k: 'w' }, status: { s: 1 } },
  );
  assert.deepEqual(withRetention(manifest, observed, KNOWN), {
    ...KNOWN,
    metadata: {
      name: 'x',
      namespace: 'n',
      resourceVersion: '7',
      finalizers: ['f'],
      ownerReferences: [{ name: 'o' }],
      labels: { theirs: '1', a: 'new' },
      annotations: {
        'resourcetemplate.karmada.io/managed-labels': 'a,gone',
        'resourcetemplate.karmada.io/managed-annotations': 'note,past',
        theirs: '1',
        note: 'ours',
      },
    },
    data: { k: 'v' },
  });
});

test('the kind has the last word on what stays', () => {
  const retain = (desired: JsonObject, observed: JsonObject) => ({
    ...desired,
    kept: observed.kept,
  });
  const next = withRetention(object({}), object({}, { kept: 1 }), { ...KNOWN, retain });
  assert.equal(next.kept, 1);
});

test('only managed objects are replaced, unless the manifest says overwrite', () => {
  const overwrite = object({ annotations: { 'work.karmada.io/conflict-resolution': 'overwrite' } });
  assert.equal(mayReplace(object({}), object({ labels: MANAGED })), true);
  assert.equal(mayReplace(object({}), object({})), false);
  assert.equal(
    mayReplace(object({}), object({ labels: { 'karmada.io/managed': 'false' } })),
    false,
  );
  assert.equal(mayReplace(overwrite, object({})), true);
});

test('an object is of the Work that it names, if it is managed at all', () => {
  const annotations = { 'work.karmada.io/namespace': 'es', 'work.karmada.io/name': 'w' };
  const work = { namespace: 'es', name: 'w' };
  assert.equal(isOf(object({ labels: MANAGED, annotations }), work), true);
  assert.equal(isOf(object({ annotations }), work), false);
  assert.equal(isOf(object({ labels: MANAGED, annotations }), { ...work, name: 'v' }), false);
});

test('what the server keeps for itself is no content', () => {
  const a = object({ resourceVersion: '1', generation: 1 }, { data: {}, status: { s: 1 } });
  const b = object({ resourceVersion: '2', finalizers: ['f'] }, { data: {}, status: { s: 2 } });
  assert.equal(sameContent(a, b), true);
  assert.equal(sameContent(a, object({}, { data: { k: 'v' } })), false);
  assert.equal(sameContent(a, object({ labels: { l: '1' } }, { data: {} })), false);
});

test('what the cluster filled in does not count, what somebody changed does', () => {
  const manifest = object({}, { spec: { a: 1 } });
  const storedObject = object({}, { spec: { a: 1, filledIn: true } });
  const last = { manifest, storedObject };
  assert.equal(isSettled(manifest, manifest, manifest, undefined), true);
  assert.equal(isSettled(manifest, storedObject, manifest, undefined), false, 'not known yet');
  assert.equal(isSettled(manifest, storedObject, manifest, last), true);
  const changed = object({}, { spec: { a: 1, filledIn: false } });
  assert.equal(isSettled(manifest, changed, manifest, last), false);
  const next = object({}, { spec: { a: 2 } });
  assert.equal(isSettled(next, storedObject, next, last), false, 'another manifest');
  const relabelled = object({ labels: { l: '1' } }, { spec: { a: 1, filledIn: true } });
  assert.equal(isSettled(manifest, relabelled, manifest, last), false);
});

test('a released object shows no trace of the control plane', () => {
  const observed = object({
    labels: { ...MANAGED, 'work.karmada.io/permanent-id': '1', own: '1' },
    annotations: { 'work.karmada.io/name': 'w', 'resourcetemplate.karmada.io/uid': 'u', own: '1' },
  });
  assert.deepEqual(
    withoutMarks(observed),
    object({ labels: { own: '1' }, annotations: { own: '1' } }),
  );
});
