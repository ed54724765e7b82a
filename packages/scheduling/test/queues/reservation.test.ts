import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Patience } from '@perigee/scheduling/queues/overdue';
import type { Fits, WorkItem } from '@perigee/scheduling/queues/work-item';
import { WorkQueues } from '@perigee/scheduling/queues/work-queues';
import { amounts, fitsAnywhere, type QueueSketch, queueOf, workOf } from './queue-world.ts';

const PATIENT: Patience = { afterMs: 100, forMs: 100 };
const NEVER: Patience = { afterMs: Number.POSITIVE_INFINITY, forMs: 0 };

interface Stream {
  readonly queues: readonly QueueSketch[];
  readonly big: { readonly queue: string; readonly cpu: number };
  readonly patience: Patience;
  readonly fits?: (busy: () => number) => Fits;
}

/**
 * Small work without end, more than there is room for, and one big job among it. Work runs for 10 ms. When the big
 * one was released, if it was within 1,000 ms.
 */
const bigReleasedAt = ({ queues, big, patience, fits }: Stream): number | undefined => {
  const world = new WorkQueues(patience);
  world.setTotal(amounts({ cpu: 10 }));
  for (const sketch of queues) world.setQueue(queueOf(sketch));
  const leaves = queues.filter(({ name }) => !queues.some(({ parent }) => parent === name));
  const ends = new Map<string, number>();
  const answer = fits?.(() => ends.size) ?? fitsAnywhere;
  world.setItem(workOf({ key: 'big', queue: big.queue, requests: { cpu: big.cpu }, shape: 'big' }));
  for (let now = 0; now < 1000; now++) {
    for (const [key, end] of ends) {
      if (end > now) continue;
      ends.delete(key);
      world.removeRunning(key);
      world.roomFreed();
    }
    for (const { name } of leaves) {
      const requests = { cpu: 1 };
      world.setItem(workOf({ key: `${name}-${now}`, queue: name, createdAt: now - 1, requests }));
    }
    // The big one comes when all is taken.
    for (;;) {
      const chosen = world.chooseNext(answer, now);
      if (chosen === undefined) break;
      if (chosen.item.key === 'big') return now;
      ends.set(chosen.item.key, now + 10 + (ends.size % 3));
    }
  }
  return undefined;
};

const assertHelped = (stream: Omit<Stream, 'patience'>): void => {
  assert.equal(
    bigReleasedAt({ ...stream, patience: NEVER }),
    undefined,
    'it does not starve at all',
  );
  const at = bigReleasedAt({ ...stream, patience: PATIENT });
  assert.ok(at !== undefined && at >= 100 && at <= 200, `released at ${at}`);
};

suite('work that small work would pass for ever gets its turn after a time', () => {
  test('in its own queue', () => {
    assertHelped({
      queues: [
        { name: 'q', capability: { cpu: 8 } },
        { name: 'other', priority: 1, capability: { cpu: 1 } },
      ],
      big: { queue: 'q', cpu: 8 },
    });
  });

  test('beside other queues', () => {
    assertHelped({
      queues: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
      big: { queue: 'c', cpu: 9 },
    });
  });

  test('in a department, beside its sisters', () => {
    assertHelped({
      queues: [
        { name: 'department', capability: { cpu: 5 } },
        { name: 'd1', parent: 'department' },
        { name: 'd2', parent: 'department' },
        { name: 'outside' },
      ],
      big: { queue: 'd1', cpu: 5 },
    });
  });

  test('on a cluster of its own', () => {
    // Four places on the one cluster that the big one can run on, and it needs them all.
    const fits =
      (busy: () => number): Fits =>
      (item, avoid) => {
        const isFull = item.key === 'big' ? busy() > 0 : busy() >= 4 || avoid.has('only');
        return isFull
          ? { kind: 'not-now', missing: amounts({ cpu: 1 }), clusters: ['only'] }
          : { kind: 'fits', clusters: { only: 1 } };
      };
    assertHelped({ queues: [{ name: 'a' }, { name: 'b' }], big: { queue: 'b', cpu: 1 }, fits });
  });
});

const running = (key: string, queue: string, cpu: number) => ({
  ...{ key, queue, priority: 0, startedAt: 0, clusters: [] },
  amounts: amounts({ cpu }),
});

suite('what is kept for overdue work', () => {
  const world = () => {
    const queues = new WorkQueues(PATIENT);
    queues.setTotal(amounts({ cpu: 10, memory: '1Gi' }));
    queues.setQueue(queueOf({ name: 'a' }));
    queues.setQueue(queueOf({ name: 'b' }));
    queues.setRunning(running('r', 'b', 5));
    queues.setItem(workOf({ key: 'big', queue: 'a', requests: { cpu: 8 } }));
    return queues;
  };
  const release = (queues: WorkQueues, item: WorkItem, now: number) => {
    queues.setItem(item);
    return queues.chooseNext(fitsAnywhere, now)?.item.key;
  };
  const small = workOf({ key: 'small', queue: 'b', createdAt: 1, requests: { cpu: 1 } });

  test('is told to those who wait for it', () => {
    const queues = world();
    assert.equal(release(queues, small, 150), undefined);
    assert.deepEqual(queues.verdictOf('small'), {
      kind: 'quota',
      position: 1,
      shortage: {
        queue: 'root',
        limit: 'reserved',
        resource: 'cpu',
        asked: 1000,
        missing: 4000,
        allowed: 10000,
        reservedFor: 'big',
      },
    });
  });

  test('is open to work that does not need it', () => {
    const other = workOf({ key: 'other', queue: 'b', createdAt: 1, requests: { memory: '1Gi' } });
    assert.equal(release(world(), other, 150), 'other');
  });

  test('is open to what is guaranteed', () => {
    const queues = world();
    queues.setQueue(queueOf({ name: 'g', guarantee: { cpu: 1 }, deserved: { cpu: 1 } }));
    assert.equal(
      release(queues, workOf({ ...{ key: 'g1', queue: 'g' }, requests: { cpu: 1 } }), 150),
      'g1',
    );
  });

  test('is given up after a time, and when the work goes', () => {
    assert.equal(release(world(), small, 200), 'small');
    const queues = world();
    assert.equal(release(queues, small, 150), undefined);
    queues.removeItem('big');
    assert.equal(queues.chooseNext(fitsAnywhere, 151)?.item.key, 'small');
  });

  test('is not kept for work that the guarantees of others rule out for good', () => {
    const queues = world();
    queues.setQueue(queueOf({ name: 'g', guarantee: { cpu: 3 }, deserved: { cpu: 3 } }));
    assert.equal(release(queues, small, 150), 'small');
    assert.deepEqual(queues.verdictOf('big'), {
      kind: 'never-by-limit',
      shortage: {
        queue: 'root',
        limit: 'guarantees',
        resource: 'cpu',
        asked: 8000,
        missing: 1000,
        allowed: 10000,
      },
    });
  });
});

suite('the cluster that the first of a queue needs', () => {
  const refused = { kind: 'not-now', missing: amounts({ cpu: 1 }), clusters: ['m'] } as const;
  const fits: Fits = ({ key }, avoid) =>
    key === 'first' || avoid.has('m') ? refused : { kind: 'fits', clusters: { m: 1 } };
  const first = workOf({ key: 'first', queue: 'a', shape: 'first' });
  const late = (createdAt: number) =>
    workOf({ key: `late-${createdAt}`, queue: 'b', createdAt, shape: 'late' });
  const begun = (a: Partial<QueueSketch> = {}) => {
    const queues = new WorkQueues(PATIENT);
    queues.setTotal(amounts({ cpu: 10 }));
    queues.setQueue(queueOf({ name: 'a', ...a }));
    queues.setQueue(queueOf({ name: 'b' }));
    queues.setItem(first);
    return queues;
  };
  const released = (queues: WorkQueues, now: number): string | undefined => {
    queues.setItem(late(now));
    return queues.chooseNext(fits, now)?.item.key;
  };

  test('is kept from when it is overdue, whenever the dispatcher began', () => {
    assert.equal(released(begun(), 150), undefined);
    const seasoned = begun();
    assert.equal(seasoned.chooseNext(fits, 0), undefined);
    assert.equal(released(seasoned, 150), undefined);
    assert.equal(released(seasoned, 200), 'late-150', 'it is given up');
  });

  test('is not kept while its queue is closed, whenever that was', () => {
    assert.equal(released(begun({ isOpen: false }), 150), 'late-150');
    const seasoned = begun();
    assert.equal(released(seasoned, 150), undefined);
    seasoned.setQueue(queueOf({ name: 'a', isOpen: false }));
    assert.equal(seasoned.chooseNext(fits, 151)?.item.key, 'late-150');
  });

  test('is not kept while the queue above is closed', () => {
    const queues = begun({ parent: 'department' });
    queues.setQueue(queueOf({ name: 'department', isOpen: false }));
    assert.equal(released(queues, 150), 'late-150');
  });
});
