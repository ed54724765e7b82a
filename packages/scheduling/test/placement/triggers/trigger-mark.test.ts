import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  marksOf,
  TRIGGERED_BY,
  withMark,
} from '@perigee/scheduling/placement/triggers/trigger-mark';
import { hasMoved, replicasMoved } from '../../../src/placement/triggers/replicas-moved.ts';

const mark = {
  trigger: 'demo',
  run: '',
  at: '2026-01-31T00:00:00Z',
  before: [{ name: 'm1', replicas: 2 }, { name: 'm2' }],
};

const annotated = (text: string) => ({ annotations: { [TRIGGERED_BY]: text } });

describe('the mark that a trigger leaves', () => {
  it('is read as it was written, beside those of others that are still there', () => {
    const first = withMark({}, 'u1', mark, () => true);
    const second = withMark(annotated(first), 'u2', { ...mark, run: 'r' }, () => true);
    assert.deepEqual(
      [...marksOf(annotated(second))],
      [
        ['u1', mark],
        ['u2', { ...mark, run: 'r' }],
      ],
    );
    const third = withMark(annotated(second), 'u3', mark, (uid) => uid !== 'u1');
    assert.deepEqual([...marksOf(annotated(third)).keys()], ['u2', 'u3']);
  });

  it('is one of a hundred at most', () => {
    let metadata = {};
    for (let index = 0; index < 150; index += 1) {
      metadata = annotated(withMark(metadata, `u${index}`, mark, () => true));
    }
    const uids = [...marksOf(metadata).keys()];
    assert.equal(uids.length, 100);
    assert.equal(uids.at(-1), 'u149');
  });

  it('counts for nothing when nobody can read it', () => {
    for (const text of [
      '',
      'x',
      '[]',
      '7',
      '{"u":7}',
      '{"u":{"trigger":"a","run":"","at":"soon","before":""}}',
      '{"u":{"trigger":"a","run":"","at":"2026-01-01T00:00:00Z"}}',
    ]) {
      assert.equal(marksOf(annotated(text)).size, 0, text);
    }
    const strange =
      '{"u":{"trigger":"a","run":"","at":"2026-01-01T00:00:00Z","before":"m1:x m2:-1"}}';
    assert.deepEqual(marksOf(annotated(strange)).get('u')?.before, [
      { name: 'm1' },
      { name: 'm2' },
    ]);
  });
});

describe('what has moved', () => {
  const on = (...shares: readonly (readonly [string, number])[]) =>
    shares.map(([name, replicas]) => ({ name, replicas }));

  it('is what is in another cluster than before', () => {
    const before = on(['m1', 4], ['m2', 2]);
    for (const [after, moved] of [
      [before, 0],
      [on(['m2', 2], ['m1', 4]), 0],
      [on(['m1', 1], ['m2', 5]), 3],
      [on(['m3', 6]), 6],
      [on(['m1', 4]), 0],
    ] as const) {
      assert.equal(replicasMoved(before, after), moved);
    }
    assert.equal(hasMoved(before, on(['m2', 2], ['m1', 4])), false);
    assert.equal(hasMoved(before, on(['m1', 4])), true);
    assert.equal(hasMoved([{ name: 'm1' }], [{ name: 'm1' }]), false);
    assert.equal(hasMoved([{ name: 'm1' }], [{ name: 'm2' }]), true);
  });
});
