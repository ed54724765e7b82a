import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ParsedObjects } from '../../src/store/parsed-objects.ts';
import { ENGINES, objectOf, put } from './engines.ts';

const forgetful = (name: string, length: number, forgotten: string[]) => ({
  bytes: { length },
  forget: () => void forgotten.push(name),
});

describe('parsed objects', () => {
  test('are forgotten oldest first, when there are too many', () => {
    const forgotten: string[] = [];
    const parsed = new ParsedObjects(100);
    for (const name of ['a', 'b', 'c']) parsed.add(forgetful(name, 40, forgotten));
    assert.deepEqual(forgotten, ['a']);
    parsed.add(forgetful('d', 80, forgotten));
    assert.deepEqual(forgotten, ['a', 'b', 'c']);
  });

  test('are not kept at all when one alone is too much', () => {
    const forgotten: string[] = [];
    const parsed = new ParsedObjects(100);
    parsed.add(forgetful('large', 101, forgotten));
    parsed.add(forgetful('small', 1, forgotten));
    assert.deepEqual(forgotten, ['large']);
  });
});

for (const { name, open } of ENGINES) {
  describe(`objects of the ${name} store`, () => {
    test('are those that were written, without what JSON does not tell', async () => {
      await using store = open();
      const written = { ...objectOf('a', 1), spec: { list: [{ here: 1, gone: undefined }] } };
      const { entry } = await store.write('things', 'a', () => ({ put: written }));
      assert.deepEqual(entry?.object, JSON.parse(String(entry?.bytes)));
    });

    test('are the same after as many others that they had to be forgotten', async () => {
      await using store = open();
      await put(store, 'things', 'first');
      const before = store.get('things', 'first')?.object;
      const filler = 'x'.repeat(2 ** 20);
      for (let at = 0; at < 20; at++) await put(store, 'things', `filler-${at}`, filler);
      const after = store.get('things', 'first')?.object;
      assert.deepEqual(after, before);
      assert.notEqual(after, before, 'the object was kept all the time');
    });
  });
}
