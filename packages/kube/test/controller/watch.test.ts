import assert from 'node:assert/strict';
import { test } from 'node:test';
import { index } from '@perigee/kube/controller/cache-index';
import { defineController } from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { setUpController } from './controller-fixture.ts';

const templateOf = ({ data }: ConfigMap): readonly string[] =>
  data?.template === undefined ? [] : [data.template];

const recorder = (seen: string[]) => async (ref: { readonly name: string }) => {
  seen.push(ref.name);
  return undefined;
};

test('a change of another kind can call for reconciles, found through the caches', async () => {
  const { clock, admin, run, create } = setUpController();
  for (const name of ['a', 'b']) await create(name);
  const seen: string[] = [];
  void run(
    defineController({
      name: 'spreader',
      for: ConfigMap,
      watches: [
        watch(Namespace, {
          map: (_, cache) =>
            cache(ConfigMap)
              .list()
              .map(({ metadata }) => metadata),
        }),
      ],
      reconcile: recorder(seen),
    }),
  );
  await clock.advance(0);
  seen.length = 0;
  await admin.create(Namespace, { metadata: { name: 'new' } });
  await clock.advance(0);
  assert.deepEqual(seen.sort(), ['a', 'b']);
});

test('what is there at the start need not call for reconciles of others', async () => {
  const { clock, admin, run } = setUpController();
  await admin.create(Namespace, { metadata: { name: 'old' } });
  const seen: string[] = [];
  const named = watch(Namespace, {
    atStart: false,
    map: ({ metadata: { name } }) => [{ namespace: 'default', name }],
  });
  void run(
    defineController({ name: 'late', for: ConfigMap, watches: [named], reconcile: recorder(seen) }),
  );
  await clock.advance(0);
  assert.deepEqual(seen, []);
  await admin.create(Namespace, { metadata: { name: 'new' } });
  await clock.advance(0);
  assert.deepEqual(seen, ['new']);
});

test('when an object turns from one to another, both are reconciled', async () => {
  const { clock, run, create, update } = setUpController();
  await create('from');
  await create('to');
  await create('pointer', { target: 'from' });
  const seen: string[] = [];
  const target = watch(ConfigMap, {
    map: ({ data, metadata: { namespace = '' } }) =>
      data?.target === undefined ? [] : [{ namespace, name: data.target }],
  });
  void run(
    defineController({
      name: 'pointed',
      for: ConfigMap,
      when: () => false,
      watches: [target],
      reconcile: recorder(seen),
    }),
  );
  await clock.advance(0);
  assert.deepEqual(seen, ['from']);
  seen.length = 0;
  await update('pointer', { target: 'to' });
  await clock.advance(0);
  assert.deepEqual(seen, ['from', 'to']);
});

test('changes that do not matter call for nothing', async () => {
  const { clock, admin, run, create, update } = setUpController();
  const seen: string[] = [];
  void run(
    defineController({
      name: 'choosy',
      for: ConfigMap,
      when: (now, before) => now?.data?.at !== before?.data?.at,
      reconcile: recorder(seen),
    }),
  );
  await clock.advance(0);
  await create('plain', { other: '1' });
  await create('it', { at: '1' });
  await clock.advance(0);
  await update('it', { other: '2' });
  await clock.advance(0);
  assert.deepEqual(seen, ['it']);
  await update('it', { at: '2' });
  await clock.advance(0);
  await admin.delete(ConfigMap, { namespace: 'default', name: 'plain' });
  await admin.delete(ConfigMap, { namespace: 'default', name: 'it' });
  await clock.advance(0);
  assert.deepEqual(seen, ['it', 'it', 'it']);
});

test('objects can be found by an index', async () => {
  const { clock, run, create } = setUpController();
  await create('one', { template: 't' });
  await create('two', { template: 't' });
  await create('three', { template: 'other' });
  const found: string[][] = [];
  void run(
    defineController({
      name: 'finder',
      for: ConfigMap,
      when: (now) => now?.metadata.name === 'three',
      indexes: [index(ConfigMap, 'template', templateOf)],
      async reconcile(_, { cache }) {
        const users = cache(ConfigMap).byIndex('template', 't');
        found.push(users.map(({ metadata }) => metadata.name));
      },
    }),
  );
  await clock.advance(0);
  assert.deepEqual(found, [['one', 'two']]);
});

test('a cache that was not declared cannot be read', async () => {
  const { clock, run, create, log } = setUpController();
  await create('it');
  void run(
    defineController({
      name: 'hasty',
      for: ConfigMap,
      async reconcile(_, { cache }) {
        cache(Namespace).list();
      },
    }),
  );
  await clock.advance(0);
  assert.match(log.join(''), /"hasty\\" reads namespaces without having said so: add the kind/);
});

test('a source of one own calls for reconciles until the controller stops', async () => {
  const { clock, run, stop } = setUpController();
  const seen: string[] = [];
  let enqueue: (name: string) => void = () => {};
  let disposed = false;
  const source: Source = {
    kinds: [],
    start(context) {
      enqueue = (name) => context.enqueue({ name });
      const dispose = () => {
        disposed = true;
      };
      return { [Symbol.dispose]: dispose };
    },
  };
  const running = run(
    defineController({
      name: 'sourced',
      for: ConfigMap,
      watches: [source],
      reconcile: recorder(seen),
    }),
  );
  await clock.advance(0);
  enqueue('from elsewhere');
  await clock.advance(0);
  assert.deepEqual(seen, ['from elsewhere']);
  stop.abort();
  await running;
  assert.equal(disposed, true);
});

test('a controller of no kind reconciles what its sources ask for', async () => {
  const { clock, run, create, admin, told } = setUpController();
  const seen: string[] = [];
  const everything = () => [{ name: 'everything' }];
  const definition = defineController({
    name: 'overseer',
    watches: [
      watch(ConfigMap, { map: everything }),
      watch(Namespace, { map: everything, resync: true }),
    ],
    resyncMs: 60_000,
    reconcile: async ({ name }, { cache }) => {
      const counts = [ConfigMap, Namespace].map((kind) => [...cache(kind).list()].length);
      seen.push(`${name} ${counts}`);
      clock.compute(6_000);
      return undefined;
    },
  });
  assert.deepEqual([definition.for, definition.kinds], [undefined, [ConfigMap, Namespace]]);
  await admin.create(Namespace, { metadata: { name: 'everything' } });
  await create('one');
  void run(definition);
  await clock.advance(0);
  assert.deepEqual(seen, ['everything 1,1']);
  // The object that happens to have the name of the key is not the one that took long.
  assert.deepEqual(told, []);
  await clock.advance(70_000);
  assert.deepEqual(seen, ['everything 1,1', 'everything 1,1']);
});

test('a definition that cannot work is refused', () => {
  const good = { for: ConfigMap, reconcile: async () => undefined };
  assert.throws(() => defineController({ ...good, name: 'Not This' }), /"Not This" is no name/);
  assert.throws(
    () => defineController({ ...good, name: 'lazy', concurrency: 0 }),
    /the concurrency of "lazy" must be 1 or more, not 0/,
  );
});
