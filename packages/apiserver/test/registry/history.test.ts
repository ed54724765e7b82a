import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@perigee/kube/errors';
import fc from 'fast-check';
import { at, setUpApi, type Thing, Widget } from './registry-fixture.ts';

const NAMES = ['u', 'v', 'w'] as const;
const name = fc.constantFrom(...NAMES);
const size = fc.integer({ min: 0, max: 3 });

/** A client's action. Sizes of 0 are invalid, and stale versions are used on purpose. */
const deed = fc.oneof(
  fc.record({ do: fc.constant('create'), name, size, held: fc.boolean() }),
  fc.record({ do: fc.constant('replace'), name, size, stale: fc.boolean() }),
  fc.record({ do: fc.constant('patch'), name, size, app: fc.constantFrom('one', 'two', null) }),
  fc.record({ do: fc.constant('tell'), name, phase: fc.constantFrom('Up', 'Down') }),
  fc.record({ do: fc.constant('release'), name }),
  fc.record({ do: fc.constant('delete'), name, dryRun: fc.boolean() }),
);
type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never;

const HOLD = 'shop.example.com/hold';

const setUpWorld = async () => {
  const { client, clock, registry } = await setUpApi();
  const merge = (which: string, body: object, subresource?: string) =>
    client.patch(
      Widget,
      at(which),
      { type: 'merge', body },
      subresource === undefined ? {} : { subresource },
    );
  const first = new Map<string, Thing>();
  const perform = async (step: Deed): Promise<unknown> => {
    switch (step.do) {
      case 'create': {
        const meta = step.held ? { finalizers: [HOLD] } : {};
        const metadata = { ...at(step.name), ...meta };
        const created = await client.create(Widget, { metadata, spec: { size: step.size } });
        return first.set(step.name, created);
      }
      case 'replace': {
        const base = step.stale
          ? (first.get(step.name) ?? (await client.get(Widget, at(step.name))))
          : await client.get(Widget, at(step.name));
        return client.update(Widget, { ...base, spec: { size: step.size } });
      }
      case 'patch':
        return merge(step.name, {
          metadata: { labels: { app: step.app } },
          spec: { size: step.size },
        });
      case 'tell':
        return merge(step.name, { status: { phase: step.phase } }, 'status');
      case 'release':
        return merge(step.name, { metadata: { finalizers: null } });
      case 'delete':
        return client.delete(Widget, at(step.name), { dryRun: step.dryRun });
    }
  };
  return { client, clock, registry, perform };
};

/** Follows a watch as a client would, and checks what every watch promises. */
const follow = (
  client: Awaited<ReturnType<typeof setUpWorld>>['client'],
  labelSelector: string,
  signal: AbortSignal,
) => {
  const state = new Map<string, Thing>();
  let last = 0;
  const done = (async () => {
    const options = { resourceVersion: '1', labelSelector, signal };
    for await (const { type, object } of client.watch(Widget, options)) {
      const version = Number(object.metadata.resourceVersion);
      assert.ok(version > last, 'versions only grow');
      last = version;
      if (type === 'BOOKMARK') continue;
      const key = object.metadata.name;
      assert.equal(state.has(key), type !== 'ADDED', `${type} ${key} makes no sense`);
      const generation = state.get(key)?.metadata.generation ?? 0;
      const isSame = state.get(key)?.metadata.uid === object.metadata.uid;
      assert.ok(!isSame || (object.metadata.generation ?? 0) >= generation);
      if (type === 'DELETED') state.delete(key);
      else state.set(key, object);
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return { state, done };
};

test('whatever is done, watches tell the whole truth, once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(deed, { minLength: 1, maxLength: 3 }), { maxLength: 25 }),
      async (rounds) => {
        const { client, clock, registry, perform } = await setUpWorld();
        const stop = new AbortController();
        const selectors = ['', 'app=one', '!app'];
        const watches = selectors.map((one) => follow(client, one, stop.signal));
        for (const round of rounds) {
          const before = registry.store.revision;
          const results = await Promise.allSettled(round.map(perform));
          for (const result of results) {
            if (result.status === 'rejected' && !(result.reason instanceof ApiError)) {
              throw result.reason;
            }
          }
          const done = results.filter(({ status }) => status === 'fulfilled').length;
          assert.ok(registry.store.revision - before <= done, 'a refusal writes nothing');
        }
        await clock.advance(0);
        for (const [index, labelSelector] of selectors.entries()) {
          const { items } = await client.list(Widget, { labelSelector });
          const seen = [...(watches[index]?.state.values() ?? [])];
          const byName = (a: Thing, b: Thing) => (a.metadata.name < b.metadata.name ? -1 : 1);
          assert.deepEqual(seen.toSorted(byName), items);
        }
        stop.abort();
        await Promise.all(watches.map(({ done }) => done));
      },
    ),
    { numRuns: 60 },
  );
});
