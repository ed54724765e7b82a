import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { blocking, setUpCollector } from './collector-fixture.ts';

const setUpChain = async () => {
  const world = await setUpCollector();
  const top = await world.add('top');
  const middle = await world.add('middle', [blocking(top)]);
  await world.add('bottom', [blocking(middle)]);
  await world.add('other');
  return { ...world, top, middle };
};

describe('a chain of owners', () => {
  test('stays as long as its beginning', async () => {
    await using world = await setUpChain();
    assert.deepEqual(await world.left(), ['bottom < middle', 'middle < top', 'other', 'top']);
  });

  test('goes after it, in the background', async () => {
    await using world = await setUpChain();
    await world.end('top', 'Background');
    assert.equal(await world.find(ConfigMap, 'top', 'a'), undefined);
    assert.deepEqual(await world.left(), ['other']);
  });

  test('goes before it, from the end, in the foreground', async () => {
    await using world = await setUpChain();
    const gone: string[] = [];
    using watch = world.registry.store.watchAll('root//configmaps');
    const reading = (async () => {
      for await (const events of watch) {
        for (const event of events) if (event.type === 'DELETED') gone.push(event.previous.key);
      }
    })();
    await world.end('top', 'Foreground');
    assert.deepEqual(await world.left(), ['other']);
    watch[Symbol.dispose]();
    await reading;
    assert.deepEqual(gone, ['a/bottom', 'a/middle', 'a/top']);
  });

  test('loses its beginning alone when that orphans its dependents', async () => {
    await using world = await setUpChain();
    await world.end('top', 'Orphan');
    assert.deepEqual(await world.left(), ['bottom < middle', 'middle', 'other']);
  });

  test('goes on when what held it up is gone', async () => {
    await using world = await setUpChain();
    await world.setFinalizers('bottom', ['example.com/hold']);
    await world.end('top', 'Foreground');
    assert.deepEqual(await world.left(), ['bottom < middle', 'middle < top', 'other', 'top']);
    await world.setFinalizers('bottom', []);
    assert.deepEqual(await world.left(), ['other']);
  });

  test('waits in the foreground only for those who say so', async () => {
    await using world = await setUpCollector();
    const top = await world.add('top');
    await world.add('held', [ownerReferenceTo(top)], { finalizers: ['example.com/hold'] });
    await world.end('top', 'Foreground');
    assert.deepEqual(await world.left(), ['held < top']);
    assert.ok((await world.find(ConfigMap, 'held', 'a'))?.metadata.deletionTimestamp);
  });

  test('may have members that orphan theirs', async () => {
    await using world = await setUpChain();
    await world.setFinalizers('middle', ['orphan']);
    await world.end('top', 'Background');
    assert.deepEqual(await world.left(), ['bottom', 'other']);
  });

  test('is told anew how to go while it goes', async () => {
    await using world = await setUpChain();
    await world.setFinalizers('bottom', ['example.com/hold']);
    await world.end('top', 'Foreground');
    await world.settle();
    await world.end('top', 'Background');
    assert.deepEqual(await world.left(), ['bottom < middle', 'middle < top', 'other']);
  });
});

describe('an object with several owners', () => {
  for (const policy of ['Background', 'Foreground'] as const) {
    test(`outlives the first of them and forgets it, ${policy}`, async () => {
      await using world = await setUpCollector();
      const [one, two] = [await world.add('one'), await world.add('two')];
      await world.add('child', [blocking(one), blocking(two)]);
      await world.end('one', policy);
      assert.deepEqual(await world.left(), ['child < two', 'two']);
      await world.end('two', policy);
      assert.deepEqual(await world.left(), []);
    });
  }

  test('goes when both go at the same time', async () => {
    await using world = await setUpCollector();
    const [one, two] = [await world.add('one'), await world.add('two')];
    await world.add('child', [blocking(one), blocking(two)]);
    await Promise.all([world.end('one', 'Foreground'), world.end('two', 'Background')]);
    assert.deepEqual(await world.left(), []);
  });
});

test('an owner with many dependents is emptied in slices', async () => {
  await using world = await setUpCollector();
  const top = await world.add('top');
  await Promise.all(Array.from({ length: 450 }, (_, n) => world.add(`d${n}`, [blocking(top)])));
  await world.end('top', 'Foreground');
  assert.deepEqual(await world.left(), []);
});
