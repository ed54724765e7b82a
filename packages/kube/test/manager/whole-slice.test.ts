import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { copierWorld, type Step, TARGETS } from './copier-world.ts';

const name = fc.constantFrom('one', 'two');
const target = fc.constantFrom(...TARGETS);
const to = fc.subarray(TARGETS);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write'), name, value: fc.nat(3), to }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), name }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('namespace'), name: target, exists: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('tamper', 'remove'), name, target }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('stop', 'crash', 'pause') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.nat(20_000) }) },
);
const steps = fc.array(step, { minLength: 5, maxLength: 25 });
const seed = fc.integer({ min: 1, max: 1e6 });

const write = (to: string[]): Step => ({ do: 'write', name: 'one', value: 1, to });
const exists = (name: string): Step => ({ do: 'namespace', name, exists: true });

/** The place in the test from which a world is run is not part of its history. */
const withoutStacks = (line: string): unknown =>
  JSON.parse(line, (key, value) => (key === 'stack' ? undefined : value));

test('a controller on the manager makes the world as it should be', async () => {
  const world = copierWorld(1);
  for (const next of [exists('red'), exists('green'), write(['red', 'green'])]) {
    await world.perform(next);
  }
  await world.settle();
  assert.deepEqual((await world.copies()).found, ['green/one=1', 'red/one=1']);
  await world.perform({ do: 'tamper', name: 'one', target: 'red' });
  await world.perform({ do: 'remove', name: 'one', target: 'green' });
  await world.settle();
  assert.deepEqual((await world.copies()).found, ['green/one=1', 'red/one=1']);
  await world.perform(write(['green']));
  await world.settle();
  assert.deepEqual((await world.copies()).found, ['green/one=1']);
});

test('whatever happens, the end is the same, and then nothing more is written', async () => {
  await fc.assert(
    fc.asyncProperty(steps, seed, async (happening, chance) => {
      const world = copierWorld(chance);
      for (const next of happening) await world.perform(next);
      await world.settle();
      const { wanted, found } = await world.copies();
      assert.deepEqual(found, wanted);

      const before = world.configMaps();
      await world.perform({ do: 'stop' });
      await world.settle();
      await world.perform({ do: 'crash' });
      await world.clock.advance(700_000);
      assert.equal(world.configMaps(), before, 'a restart or a resync wrote something');
    }),
    { numRuns: 25 },
  );
});

test('the same seed gives the same history, to the letter', async () => {
  await fc.assert(
    fc.asyncProperty(steps, seed, async (happening, chance) => {
      const live = async () => {
        const world = copierWorld(chance);
        for (const next of happening) await world.perform(next);
        await world.settle();
        return { history: world.history, log: world.log.map(withoutStacks) };
      };
      assert.deepEqual(await live(), await live());
    }),
    { numRuns: 10 },
  );
});
