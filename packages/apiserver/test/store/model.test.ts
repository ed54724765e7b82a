import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RevisionError } from '@perigee/apiserver/errors';
import type { Store, StoreWatch } from '@perigee/apiserver/store/store';
import fc from 'fast-check';
import { ENGINES, objectOf } from './engines.ts';
import { Model, rangeOf, replay, shown, type TableState } from './model.ts';

const WINDOW = 12;
const table = fc.constantFrom('things', 'others');
const key = fc.constantFrom('a/1', 'a/2', 'a/3', 'ab/1', 'b/1', 'b/2', 'c');
const prefix = fc.constantFrom('', 'a/', 'b/', 'z');
const age = fc.nat({ max: 20 });

const step = fc.oneof(
  { weight: 20, arbitrary: fc.record({ do: fc.constant('put' as const), table, key }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('remove' as const), table, key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('keep' as const), table, key }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('range' as const),
      table,
      age,
      prefix,
      after: fc.option(key, { nil: undefined }),
      limit: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('watch' as const), table, age, prefix }) },
  { weight: 9, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), table }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Watcher {
  readonly table: string;
  readonly prefix: string;
  readonly since: number;
  readonly watch: StoreWatch;
}

const within = (state: TableState, prefix: string): TableState =>
  new Map(rangeOf(state, { prefix }).entries);

/** Drives a store and the model side by side. */
class Comparison {
  readonly #store: Store;
  readonly #model = new Model();
  readonly #watchers: Watcher[] = [];
  #writes: Promise<unknown>[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'settle') await this.#settle();
    else if (step.do === 'range') this.#range(step);
    else if (step.do === 'watch') this.#watch(step);
    else if (step.do === 'drop') this.#drop(step.table);
    else this.#write(step);
  }

  async finish(): Promise<void> {
    await this.#settle();
    await this.#store[Symbol.asyncDispose]();
    for (const { table, prefix, since, watch } of this.#watchers) {
      const events = (await Array.fromAsync(watch)).flat();
      const drop = this.#model.nextDrop(table, since);
      const end = drop === undefined ? this.#model.newest : drop - 1;
      const start = within(this.#model.at(table, since), prefix);
      const expected = within(this.#model.at(table, end), prefix);
      assert.deepEqual(within(replay(start, events), prefix), expected);
    }
  }

  #write({ do: what, table, key }: Extract<Step, { do: 'put' | 'remove' | 'keep' }>): void {
    const before = this.#model.at(table, this.#model.newest).get(key);
    const write = this.#store.write(table, key, (present, revision) => {
      assert.equal(present?.revision, before);
      assert.equal(revision, this.#model.newest + 1);
      if (what === 'put') return { put: objectOf(key, revision) };
      return what === 'remove' ? { remove: true } : { keep: true };
    });
    if (what === 'put') this.#model.put(table, key);
    else if (what === 'remove' && before !== undefined) this.#model.remove(table, key);
    const after = this.#model.at(table, this.#model.newest).get(key);
    this.#writes.push(
      write.then(({ previous, entry }) => {
        assert.deepEqual([previous?.revision, entry?.revision], [before, after]);
      }),
    );
  }

  #drop(table: string): void {
    if (this.#model.at(table, this.#model.newest).size === 0) return;
    this.#writes.push(this.#store.drop(table));
    this.#model.drop(table);
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#writes);
    this.#writes = [];
    assert.equal(this.#store.revision, this.#model.newest);
    for (const table of ['things', 'others']) {
      const state = this.#model.at(table, this.#model.newest);
      assert.equal(this.#store.count(table), state.size);
      for (const [key, revision] of state) {
        const entry = this.#store.get(table, key);
        assert.equal(entry?.revision, revision);
        assert.deepEqual(entry?.object.data, { value: String(revision) });
      }
    }
  }

  /** True if the revision can be read; if not, it is checked that the attempt says so. */
  #isKept(table: string, revision: number, attempt: () => unknown): boolean {
    const newest = this.#store.revision;
    assert.equal(this.#store.compacted, this.#model.compacted(newest, WINDOW));
    if (revision >= this.#model.floor(table, newest, WINDOW)) return true;
    assert.throws(attempt, RevisionError);
    return false;
  }

  #range({ table, age, ...options }: Extract<Step, { do: 'range' }>): void {
    const revision = Math.max(0, this.#store.revision - age);
    const read = () => this.#store.range(table, { ...options, revision });
    if (!this.#isKept(table, revision, read)) return;
    const { entries, remaining } = read();
    const expected = rangeOf(this.#model.at(table, revision), options);
    assert.deepEqual({ entries: shown(entries), remaining }, expected);
  }

  #watch({ table, age, prefix }: Extract<Step, { do: 'watch' }>): void {
    const since = Math.max(0, this.#store.revision - age);
    const open = () => this.#store.watch(table, { since, prefix });
    if (!this.#isKept(table, since, open)) return;
    this.#watchers.push({ table, prefix, since, watch: open() });
  }
}

const RUNS: Readonly<Record<string, number>> = { memory: 300, LMDB: 15 };

for (const { name, open } of ENGINES) {
  describe(`the ${name} store`, () => {
    test('does what the model does', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 80 }), async (steps) => {
          const comparison = new Comparison(open({ history: { events: WINDOW } }));
          for (const step of steps) await comparison.take(step);
          await comparison.finish();
        }),
        { numRuns: RUNS[name] ?? 0 },
      );
    });

    test('pages through one revision while writes go on', async () => {
      const writes = fc.array(fc.record({ key: fc.nat({ max: 60 }), removes: fc.boolean() }), {
        minLength: 20,
        maxLength: 120,
      });
      await fc.assert(
        fc.asyncProperty(writes, fc.integer({ min: 1, max: 15 }), async (writes, limit) => {
          await using store = open();
          const write = async ({ key, removes }: { key: number; removes: boolean }) => {
            const change = removes
              ? { remove: true as const }
              : { put: objectOf(String(key), key) };
            await store.write('things', String(key), () => change);
          };
          const half = Math.floor(writes.length / 2);
          await Promise.all(writes.slice(0, half).map(write));
          const { entries: expected, revision } = store.range('things');

          const going = writes.slice(half);
          const paged = [];
          let after: string | undefined;
          do {
            const page = store.range('things', { limit, revision, after });
            paged.push(...page.entries);
            assert.equal(page.remaining, expected.length - paged.length);
            after = page.remaining > 0 ? page.entries.at(-1)?.key : undefined;
            await Promise.all(going.splice(0, 5).map(write));
          } while (after !== undefined);
          assert.deepEqual(shown(paged), shown(expected));
        }),
        { numRuns: (RUNS[name] ?? 0) / 3 },
      );
    });
  });
}
