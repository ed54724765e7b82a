import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ObjectStore } from '../../src/informer/object-store.ts';
import { at, Thing, thing } from './thing.ts';
import { watchedThings } from './watched-things.ts';

const names = (objects: readonly Thing[]) =>
  objects.map(({ metadata }) => metadata.name).toSorted();
const labelValues = ({ metadata }: Thing) => Object.values(metadata.labels ?? {});

test('an index finds objects by every key they have, from now on', async () => {
  const { clock, client, informer } = watchedThings();
  await client.create(Thing, thing('x', { labels: { a: 'red', b: 'blue' } }));
  await client.create(Thing, thing('y', { labels: { a: 'red' } }));
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  informer.addIndexer('label', labelValues);
  assert.deepEqual(names(informer.byIndex('label', 'red')), ['x', 'y']);
  assert.deepEqual(names(informer.byIndex('label', 'blue')), ['x']);
  await client.patch(Thing, at('x'), {
    type: 'merge',
    body: { metadata: { labels: { a: 'green' } } },
  });
  await client.delete(Thing, at('y'));
  await clock.advance(0);
  assert.deepEqual(names(informer.byIndex('label', 'red')), []);
  assert.deepEqual(names(informer.byIndex('label', 'green')), ['x']);
});

test('an index has one meaning, and an unknown one is an error', () => {
  const { informer } = watchedThings();
  informer.addIndexer('label', labelValues);
  informer.addIndexer('label', labelValues);
  assert.throws(() => informer.addIndexer('label', () => []), /already named "label"/);
  assert.throws(() => informer.byIndex('other', 'x'), /no index "other"/);
});

test('an object on which an indexer throws is cached, only not indexed', async () => {
  const { clock, client, informer, steps } = watchedThings();
  informer.addIndexer('size', ({ spec }) => {
    if (spec?.size === 13) throw new Error('unlucky');
    return [String(spec?.size)];
  });
  await client.create(Thing, thing('x', { size: 13 }));
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  assert.equal(informer.size, 1);
  assert.deepEqual(informer.byIndex('size', '13'), []);
  assert.ok(steps.steps.includes('indexer failed unlucky'));
  await client.patch(Thing, at('x'), { type: 'merge', body: { spec: { size: 2 } } });
  await clock.advance(0);
  assert.deepEqual(names(informer.byIndex('size', '2')), ['x']);
});

test('after any sequence of changes every index is what a scan of all objects gives', () => {
  const object = fc.record({
    name: fc.constantFrom('x', 'y', 'z'),
    namespace: fc.constantFrom('a', 'b'),
    values: fc.array(fc.constantFrom('1', '2', '3'), { maxLength: 3 }),
    deleted: fc.boolean(),
    asked: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(object, { maxLength: 30 }), (changes) => {
      const store = new ObjectStore<Thing>((error) => assert.fail(String(error)));
      store.addIndexer('label', labelValues);
      for (const { name, namespace, values, deleted, asked } of changes) {
        // An index is made when it is first asked for, and kept from then on.
        if (asked) store.byIndex('label', '1');
        if (asked) store.inNamespace('a');
        if (asked) assert.deepEqual(store.list(), [...store.values()]);
        const old = store.get({ name, namespace });
        const metadata = {
          ...{ name, namespace, uid: '', resourceVersion: '', creationTimestamp: '' },
          labels: Object.fromEntries(values.map((value, i) => [`l${i}`, value])),
        };
        if (!deleted) store.set({ apiVersion: 'v1', kind: 'Thing', metadata });
        else if (old) store.delete(old);
      }
      const all = new Set(store.values());
      assert.equal(store.size, all.size);
      assert.deepEqual(new Set(store.list()), all);
      assert.equal(store.list(), store.list());
      for (const value of ['1', '2', '3']) {
        const scan = [...all].filter((o) => labelValues(o).includes(value));
        assert.deepEqual(new Set(store.byIndex('label', value)), new Set(scan));
      }
      for (const namespace of ['a', 'b']) {
        const scan = [...all].filter(({ metadata }) => metadata.namespace === namespace);
        assert.deepEqual(new Set(store.inNamespace(namespace)), new Set(scan));
      }
    }),
    { numRuns: 200 },
  );
});
