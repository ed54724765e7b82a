import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineController } from '@perigee/kube/controller/define-controller';
import { OwnWrites } from '@perigee/kube/controller/own-writes';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { setUpController } from './controller-fixture.ts';

const ref = { namespace: 'default', name: 'a' };

const setUp = async () => {
  const { clock, admin, informers, run, create, update } = setUpController();
  const own = new OwnWrites<ConfigMap>();
  void run(
    defineController({
      name: 'writer',
      for: ConfigMap,
      watches: [own.seenBy(ConfigMap)],
      reconcile: async () => undefined,
    }),
  );
  const first = await create('a', { count: '1' });
  await clock.advance(0);
  const cached = () => informers.for(ConfigMap).get(ref);
  return { own, clock, admin, first, cached, update };
};

/** The object as the server is going to answer the next write. */
const next = (object: ConfigMap): ConfigMap => {
  const { metadata } = object;
  const resourceVersion = String(Number(metadata.resourceVersion) + 1);
  return { ...object, metadata: { ...metadata, resourceVersion } };
};

test('what was written counts until the cache shows it', async () => {
  const { own, clock, first, cached, update } = await setUp();
  const written = next(first);
  own.note(written, cached());
  assert.equal(own.newest(first), written);
  await update('a', { count: '2' });
  await clock.advance(0);
  assert.deepEqual(cached()?.data, { count: '2' });
  assert.equal(own.newest(first), first, 'nothing is kept');
});

test('what the cache shows already is not kept', async () => {
  const { own, clock, first, cached, update } = await setUp();
  const written = await update('a', { count: '2' });
  await clock.advance(0);
  own.note(written, cached());
  assert.equal(own.newest(first), first);
});

test('what somebody else wrote later counts more', async () => {
  const { own, first, cached } = await setUp();
  const written = next(first);
  own.note(written, cached());
  const later = next(written);
  assert.equal(own.newest(later), later);
});

test('what was written to an object says nothing about its successor', async () => {
  const { own, clock, admin, first, cached } = await setUp();
  own.note(next(next(next(first))), cached());
  const other = { ...first, metadata: { ...first.metadata, uid: 'other' } };
  assert.equal(own.newest(other), other);
  await admin.delete(ConfigMap, ref);
  await clock.advance(0);
  assert.equal(own.newest(first), first);
  own.note(next(first), cached());
  assert.equal(own.newest(first), first);
});
