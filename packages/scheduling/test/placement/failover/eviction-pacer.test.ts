import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EvictionPacer } from '@perigee/scheduling/placement/failover/eviction-pacer';

interface Waiting {
  readonly key: string;
  readonly namespace: string;
  wakesAt: number;
}

/** Lets everybody ask when they were told to; returns who went, with the second. */
const play = (pacer: EvictionPacer, all: readonly (readonly [string, string])[]) => {
  const waiting = all.map(([key, namespace]): Waiting => ({ key, namespace, wakesAt: 0 }));
  const gone: (readonly [key: string, second: number])[] = [];
  while (waiting.length > 0) {
    const next = waiting.reduce((first, one) => (one.wakesAt < first.wakesAt ? one : first));
    const waitMs = pacer.enter(next.key, 0.5, next.wakesAt, next.namespace);
    if (waitMs !== undefined) next.wakesAt += waitMs;
    else {
      gone.push([next.key, next.wakesAt / 1000]);
      waiting.splice(waiting.indexOf(next), 1);
    }
  }
  return gone;
};

const many = (namespace: string, count: number) =>
  Array.from({ length: count }, (_, at) => [`${namespace}/${at}`, namespace] as const);

describe('the pace of evictions', () => {
  it('lets one go in two seconds, in the order in which they came', () => {
    assert.deepEqual(play(new EvictionPacer(), many('a', 4)), [
      ['a/0', 0],
      ['a/1', 2],
      ['a/2', 4],
      ['a/3', 6],
    ]);
  });

  it('keeps nobody behind the thousands of another namespace', () => {
    const gone = play(new EvictionPacer(), [...many('big', 1000), ...many('small', 2)]);
    const turns = new Map(gone);
    assert.ok((turns.get('small/0') ?? Infinity) <= 4, `${turns.get('small/0')} s`);
    assert.ok((turns.get('small/1') ?? Infinity) <= 8, `${turns.get('small/1')} s`);
    // Nobody's turn is lost.
    assert.equal(gone.at(-1)?.[1], 2 * (gone.length - 1));
  });

  it('goes on with the next when one is not needed any more', () => {
    const pacer = new EvictionPacer();
    assert.equal(pacer.enter('a/0', 0.5, 0, 'a'), undefined);
    assert.equal(pacer.enter('a/1', 0.5, 0, 'a'), 2000);
    assert.equal(pacer.enter('b/0', 0.5, 0, 'b'), 4000);
    pacer.forget('a/1', 'a');
    assert.equal(pacer.enter('b/0', 0.5, 2000, 'b'), undefined);
  });
});
