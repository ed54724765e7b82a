import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentMap } from '../src/recent-map.ts';

const keptOf = (map: RecentMap<number, string>, upTo: number): readonly number[] =>
  Array.from({ length: upTo }, (_, key) => key).filter((key) => map.get(key) !== undefined);

test('it keeps at most as many entries as it is told, and at least the later half of them', () => {
  for (const most of [2, 3, 10, 100]) {
    for (const size of [1, most / 2, most, most + 1, 5 * most].map(Math.ceil)) {
      const map = new RecentMap<number, string>(most);
      for (let key = 0; key < size; key++) map.set(key, `${key}`);
      // Reading counts as use, so each number is looked up once.
      const kept = keptOf(map, size);
      assert.ok(kept.length <= most, `${kept.length} of ${most}`);
      const later = Math.min(size, Math.floor(most / 2));
      for (let key = size - later; key < size; key++) assert.ok(kept.includes(key));
    }
  }
});

test('what is read stays, however much is set meanwhile', () => {
  const map = new RecentMap<number, string>(10);
  map.set(-1, 'used');
  for (let key = 0; key < 1000; key++) {
    map.set(key, `${key}`);
    if (key % 4 === 0) assert.equal(map.get(-1), 'used');
  }
  assert.equal(map.get(1), undefined);
});

test('setting a key again replaces its value and takes no more room', () => {
  const map = new RecentMap<string, number>(4);
  map.set('a', 1);
  for (let value = 0; value < 100; value++) map.set('b', value);
  assert.deepEqual([map.get('a'), map.get('b')], [1, 99]);
});
