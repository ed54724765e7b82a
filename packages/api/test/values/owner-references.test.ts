import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, OwnerReference } from '@perigee/api/meta/object-meta';
import {
  AlreadyOwnedError,
  controllerOf,
  isOwnedBy,
  ownerReferenceTo,
  setOwnerReference,
} from '@perigee/api/values/owner-references';

const objectOf = (
  kind: string,
  name: string,
  ownerReferences?: readonly OwnerReference[],
): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...(ownerReferences ? { ownerReferences } : {}),
  },
});
const web = objectOf('ReplicaSet', 'web');
const api = objectOf('ReplicaSet', 'api');

test('a reference names its owner and says no more than it was asked to', () => {
  const plain = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'uid-of-web' };
  assert.deepEqual(ownerReferenceTo(web), plain);
  assert.deepEqual(ownerReferenceTo(web, { controller: true, blockOwnerDeletion: false }), {
    ...plain,
    controller: true,
    blockOwnerDeletion: false,
  });
});

test('an owner is added once, and the same array comes back when nothing changes', () => {
  const references = setOwnerReference(undefined, ownerReferenceTo(web));
  assert.deepEqual(references, [ownerReferenceTo(web)]);
  assert.equal(setOwnerReference(references, ownerReferenceTo(web)), references);
  assert.deepEqual(setOwnerReference(references, ownerReferenceTo(api)), [
    ownerReferenceTo(web),
    ownerReferenceTo(api),
  ]);
});

test('the reference to the same owner is brought up to date in its place', () => {
  const references = [ownerReferenceTo(web), ownerReferenceTo(api)];
  const controller = ownerReferenceTo(web, { controller: true });
  assert.deepEqual(setOwnerReference(references, controller), [controller, references[1]]);
  const remade = { ...ownerReferenceTo(web), uid: 'another', apiVersion: 'apps/v2' };
  assert.deepEqual(setOwnerReference(references, remade), [remade, references[1]]);
  const namesake = { ...ownerReferenceTo(web), uid: 'another', apiVersion: 'example.com/v1' };
  assert.deepEqual(setOwnerReference(references, namesake), [...references, namesake]);
});

test('there is no second controller', () => {
  const references = setOwnerReference([], ownerReferenceTo(web, { controller: true }));
  assert.throws(
    () => setOwnerReference(references, ownerReferenceTo(api, { controller: true })),
    (error) =>
      error instanceof AlreadyOwnedError &&
      error.message ===
        'ReplicaSet api cannot become the controller of an object that ReplicaSet web controls already',
  );
  assert.equal(setOwnerReference(references, ownerReferenceTo(api)).length, 2);
  assert.equal(
    setOwnerReference(references, ownerReferenceTo(web, { controller: true })),
    references,
  );
});

test('an object tells its controller and its owners', () => {
  const controller = ownerReferenceTo(web, { controller: true });
  const pod = objectOf('Pod', 'web-1', [ownerReferenceTo(api), controller]);
  assert.equal(controllerOf(pod), controller);
  assert.equal(controllerOf(objectOf('Pod', 'lone')), undefined);
  assert.equal(isOwnedBy(pod, api), true);
  assert.equal(isOwnedBy(pod, objectOf('ReplicaSet', 'other')), false);
});
