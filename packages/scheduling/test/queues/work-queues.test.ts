import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Fits } from '@perigee/scheduling/queues/work-item';
import { amounts, fitsAnywhere, queueOf, releaseAll, workOf, worldOf } from './queue-world.ts';

const inLine = (queue: string, keys: readonly string[], requests = {}) =>
  keys.map((key, createdAt) => ({ key, queue, createdAt, requests }));

suite('the order', () => {
  test('a queue alone goes by age', () => {
    const world = worldOf([{ name: 'q1' }], inLine('q1', ['w1', 'w2']));
    assert.deepEqual(releaseAll(world), ['w1', 'w2']);
  });

  // Volcano Global's dispatcher does the same: one of each queue in turn.
  test('equal queues take turns, whether their work asks for anything or not', () => {
    for (const requests of [{}, { cpu: 1 }]) {
      const world = worldOf(
        [{ name: 'q1' }, { name: 'q2' }],
        [
          ...inLine('q1', ['w1', 'w2', 'w3'], requests),
          ...inLine('q2', ['w4', 'w5', 'w6'], requests),
        ],
      );
      assert.deepEqual(releaseAll(world), ['w1', 'w4', 'w2', 'w5', 'w3', 'w6']);
    }
  });

  test('a weight of two gets two turns for one', () => {
    const world = worldOf(
      [{ name: 'a' }, { name: 'b', weight: 2 }],
      [
        ...inLine('a', ['a1', 'a2'], { cpu: 1 }),
        ...inLine('b', ['b1', 'b2', 'b3', 'b4'], { cpu: 1 }),
      ],
    );
    assert.deepEqual(releaseAll(world), ['a1', 'b1', 'b2', 'a2', 'b3', 'b4']);
  });

  test('the dominant resource counts: memory of one weighs against cpu of the other', () => {
    const world = worldOf(
      [{ name: 'cpu' }, { name: 'memory' }],
      [
        ...inLine('cpu', ['c1', 'c2', 'c3'], { cpu: 1, memory: '2Gi' }),
        ...inLine('memory', ['m1', 'm2'], { cpu: 3, memory: '1Gi' }),
      ],
      { cpu: 9, memory: '18Gi' },
    );
    assert.deepEqual(releaseAll(world), ['c1', 'm1', 'c2', 'c3', 'm2']);
  });

  // Case 4 of Volcano's capacity plugin.
  test('what is deserved goes before what is borrowed, and nothing before the priority of a queue', () => {
    const world = worldOf(
      [{ name: 'a-borrows' }, { name: 'b-owns', deserved: { cpu: 2 } }, { name: 'c', priority: 1 }],
      [
        ...inLine('a-borrows', ['a1', 'a2'], { cpu: 1 }),
        ...inLine('b-owns', ['b1', 'b2', 'b3'], { cpu: 1 }),
        ...inLine('c', ['c1', 'c2'], { cpu: 1 }),
      ],
    );
    assert.deepEqual(releaseAll(world), ['c1', 'c2', 'b1', 'b2', 'a1', 'b3', 'a2']);
  });

  test('in a queue, priority goes before age, and age before the name', () => {
    const world = worldOf(
      [{ name: 'q' }],
      [
        { key: 'late', queue: 'q', createdAt: 9 },
        { key: 'b', queue: 'q', createdAt: 1 },
        { key: 'a', queue: 'q', createdAt: 1 },
        { key: 'urgent', queue: 'q', createdAt: 20, priority: 5 },
      ],
    );
    assert.deepEqual(releaseAll(world), ['urgent', 'a', 'b', 'late']);
  });

  test('shares are fair between departments first, then within each', () => {
    const world = worldOf(
      [
        { name: 'big' },
        { name: 'big-1', parent: 'big' },
        { name: 'big-2', parent: 'big' },
        { name: 'small' },
        { name: 'small-1', parent: 'small' },
      ],
      [
        ...inLine('big-1', ['b1a', 'b1b'], { cpu: 1 }),
        ...inLine('big-2', ['b2a', 'b2b'], { cpu: 1 }),
        ...inLine('small-1', ['s1', 's2', 's3', 's4'], { cpu: 1 }),
      ],
    );
    assert.deepEqual(releaseAll(world), ['b1a', 's1', 'b2a', 's2', 'b1b', 's3', 'b2b', 's4']);
  });
});

suite('limits', () => {
  const five = [{ name: 'q', capability: { cpu: 5, memory: '5Gi' } }];
  const uses2 = { key: 'w1', queue: 'q', requests: { cpu: 2, memory: '2Gi' } };

  // The cases of Volcano Global's dispatcher, and 0 and 1 of Volcano's capacity plugin.
  test('work is released up to the capability, and held beyond', () => {
    const world = worldOf(five, [
      uses2,
      { key: 'w2', queue: 'q', createdAt: 1, requests: { cpu: 2, memory: '2Gi' } },
      { key: 'w3', queue: 'q', createdAt: 2, requests: { cpu: 2, memory: '2Gi' } },
    ]);
    assert.deepEqual(releaseAll(world), ['w1', 'w2']);
    assert.deepEqual(world.verdictOf('w3'), {
      kind: 'quota',
      position: 1,
      shortage: {
        queue: 'q',
        limit: 'capability',
        resource: 'cpu',
        asked: 2000,
        allowed: 5000,
        missing: 1000,
      },
    });
  });

  // Of Volcano's capacity plugin: memory above what is deserved does not matter to work that asks for processors.
  test('only what is asked for is compared', () => {
    const world = worldOf(five, [
      { key: 'all-memory', queue: 'q', requests: { memory: '5Gi' } },
      { key: 'some-cpu', queue: 'q', createdAt: 1, requests: { cpu: 5 } },
      { key: 'a-gpu', queue: 'q', createdAt: 2, requests: { 'nvidia.com/gpu': 3 } },
    ]);
    assert.deepEqual(releaseAll(world), ['all-memory', 'some-cpu', 'a-gpu']);
  });

  test('a strict queue waits for its first, another one tries the next', () => {
    const work = [
      { key: 'big', queue: 'q', requests: { cpu: 4 } },
      { key: 'small', queue: 'q', createdAt: 1, requests: { cpu: 1 } },
    ];
    for (const isStrict of [true, false]) {
      const world = worldOf([{ name: 'q', isStrict, capability: { cpu: 4 } }]);
      world.setRunning({
        ...{ key: 'r', queue: 'q', priority: 0, startedAt: 0, clusters: [] },
        amounts: amounts({ cpu: 2 }),
      });
      for (const sketch of work) world.setItem(workOf(sketch));
      assert.deepEqual(releaseAll(world), isStrict ? [] : ['small']);
      if (isStrict) assert.deepEqual(world.verdictOf('small'), { kind: 'turn', position: 2 });
      world.removeRunning('r');
      world.removeRunning('small');
      assert.deepEqual(releaseAll(world), ['big']);
    }
  });

  // Of Volcano's capacity plugin: the capability of all above is respected.
  test('the limits of all queues above count', () => {
    const world = worldOf(
      [
        { name: 'department', capability: { cpu: 3 } },
        { name: 'a', parent: 'department', capability: { cpu: 10 } },
        { name: 'b', parent: 'department' },
      ],
      [
        ...inLine('a', ['a1', 'a2'], { cpu: 1 }),
        ...inLine('b', ['b1', 'b2'], { cpu: 1 }),
        { key: 'b3', queue: 'b', createdAt: 9, requests: { cpu: 4 } },
      ],
    );
    assert.deepEqual(releaseAll(world), ['a1', 'b1', 'a2']);
    assert.deepEqual(world.verdictOf('b2'), {
      kind: 'quota',
      position: 1,
      shortage: {
        queue: 'department',
        limit: 'capability',
        resource: 'cpu',
        asked: 1000,
        allowed: 3000,
        missing: 1000,
      },
    });
    assert.deepEqual(world.verdictOf('b3'), {
      kind: 'never-by-limit',
      shortage: {
        queue: 'department',
        limit: 'capability',
        resource: 'cpu',
        asked: 4000,
        allowed: 3000,
        missing: 1000,
      },
    });
  });

  test('a guarantee is not lent, and what is used of it asks nobody', () => {
    const world = worldOf(
      [{ name: 'kept', guarantee: { cpu: 4 }, deserved: { cpu: 4 } }, { name: 'a' }, { name: 'b' }],
      [
        ...inLine('a', ['a1', 'a2', 'a3', 'a4'], { cpu: 2 }),
        ...inLine('b', ['b1', 'b2'], { cpu: 2 }),
      ],
      { cpu: 10 },
    );
    assert.deepEqual(releaseAll(world), ['a1', 'b1', 'a2']);
    assert.deepEqual(world.verdictOf('b2'), {
      kind: 'quota',
      position: 1,
      shortage: {
        queue: 'root',
        limit: 'guarantees',
        resource: 'cpu',
        asked: 2000,
        allowed: 10000,
        missing: 2000,
      },
    });
    for (const sketch of inLine('kept', ['k1', 'k2', 'k3'], { cpu: 2 }))
      world.setItem(workOf(sketch));
    assert.deepEqual(releaseAll(world), ['k1', 'k2']);
    assert.equal(world.verdictOf('k3')?.kind, 'quota');
  });

  test('what is guaranteed goes before the priority of others', () => {
    const world = worldOf(
      [
        { name: 'urgent', priority: 9 },
        { name: 'kept', guarantee: { cpu: 2 }, deserved: { cpu: 2 } },
      ],
      [
        ...inLine('urgent', ['u1', 'u2'], { cpu: 1 }),
        ...inLine('kept', ['k1', 'k2', 'k3'], { cpu: 1 }),
      ],
    );
    assert.deepEqual(releaseAll(world), ['k1', 'k2', 'u1', 'u2', 'k3']);
  });

  test('a guarantee of GPUs does not put work first that asks for none', () => {
    const world = worldOf(
      [
        { name: 'gpus', guarantee: { 'nvidia.com/gpu': 4 }, deserved: { 'nvidia.com/gpu': 4 } },
        { name: 'urgent', priority: 1 },
      ],
      [
        { key: 'cpu-only', queue: 'gpus', requests: { cpu: 1 } },
        { key: 'urgent', queue: 'urgent', requests: { cpu: 1 } },
      ],
      { cpu: 10, 'nvidia.com/gpu': 8 },
    );
    assert.deepEqual(releaseAll(world), ['urgent', 'cpu-only']);
  });
});

suite('feasibility', () => {
  test('work that fits nowhere now lets others pass, and is tried again when room is freed where it can run', () => {
    let isFull = true;
    const fits: Fits = (item) =>
      item.shape === 'bound' && isFull
        ? { kind: 'not-now', missing: amounts({ cpu: 1 }), clusters: ['far'] }
        : { kind: 'fits', clusters: { near: 1 } };
    const world = worldOf(
      [{ name: 'q' }],
      [
        { key: 'bound', queue: 'q', shape: 'bound', requests: { cpu: 1 } },
        { key: 'free', queue: 'q', createdAt: 1, shape: 'free', requests: { cpu: 1 } },
      ],
    );
    assert.deepEqual(releaseAll(world, fits), ['free']);
    assert.deepEqual(world.verdictOf('bound'), {
      kind: 'capacity',
      position: 1,
      missing: amounts({ cpu: 1 }),
      clusters: ['far'],
    });
    isFull = false;
    world.roomFreed(new Set(['near']));
    assert.deepEqual(releaseAll(world, fits), []);
    world.roomFreed(new Set(['far']));
    assert.deepEqual(releaseAll(world, fits), ['bound']);
  });

  test('one refusal answers for all work of its shape', () => {
    let asked = 0;
    const fits: Fits = () => {
      asked += 1;
      return { kind: 'not-now', missing: amounts({ cpu: 1 }), clusters: ['member1'] };
    };
    const keys = Array.from({ length: 1000 }, (_, at) => `w${at}`);
    const world = worldOf([{ name: 'q' }], inLine('q', keys, { cpu: 1 }));
    assert.deepEqual(releaseAll(world, fits), []);
    assert.equal(asked, 1);
  });

  test('a queue with work of very many shapes that do not fit does not take the time of others', () => {
    let asked = 0;
    const fits: Fits = ({ queue }) => {
      asked += 1;
      return queue === 'flood'
        ? { kind: 'not-now', missing: amounts({ cpu: 1 }), clusters: ['member1'] }
        : { kind: 'fits', clusters: { member2: 1 } };
    };
    const flood = Array.from({ length: 1000 }, (_, at) => ({
      ...{ key: `f${at}`, queue: 'flood', shape: `${at}`, requests: { cpu: 1 } },
    }));
    const world = worldOf([{ name: 'flood', priority: 1 }, { name: 'other' }], flood);
    assert.deepEqual(releaseAll(world, fits), []);
    world.setItem(workOf({ key: 'other', queue: 'other', requests: { cpu: 1 } }));
    world.roomFreed();
    asked = 0;
    assert.deepEqual(releaseAll(world, fits), ['other']);
    assert.ok(asked < 150, `${asked} were asked about`);
    // Later it is their turn again.
    asked = 0;
    assert.deepEqual(releaseAll(world, fits, 1000), []);
    assert.ok(asked > 50 && asked < 150, `${asked} were asked about`);
  });

  test('work that can never fit is told so at once, and blocks nobody, not even in a strict queue', () => {
    const fits: Fits = ({ shape }) =>
      shape === 'huge'
        ? { kind: 'never', why: 'no node has 500 GPUs' }
        : { kind: 'fits', clusters: {} };
    const world = worldOf(
      [{ name: 'q', isStrict: true, capability: { cpu: 4 } }],
      [
        { key: 'first', queue: 'q', requests: { cpu: 4 } },
        { key: 'huge', queue: 'q', createdAt: 1, shape: 'huge', requests: { cpu: 1 } },
        { key: 'beyond', queue: 'q', createdAt: 2, requests: { cpu: 5 } },
        { key: 'last', queue: 'q', createdAt: 3, requests: { cpu: 1 } },
      ],
    );
    assert.deepEqual(releaseAll(world, fits), ['first']);
    assert.deepEqual(world.verdictOf('huge'), { kind: 'never', why: 'no node has 500 GPUs' });
    assert.equal(world.verdictOf('beyond')?.kind, 'never-by-limit');
    world.removeRunning('first');
    assert.deepEqual(releaseAll(world, fits), ['last']);
    world.setQueue(queueOf({ name: 'q', isStrict: true, capability: { cpu: 6 } }));
    world.removeRunning('last');
    assert.deepEqual(releaseAll(world, fits), ['beyond']);
    world.removeRunning('beyond');
    world.setTotal(amounts({ cpu: 2000 }));
    assert.deepEqual(releaseAll(world, fitsAnywhere), ['huge']);
  });

  test('work without its data is no candidate, and holds no place', () => {
    const world = worldOf(
      [{ name: 'q', isStrict: true }],
      [
        { key: 'no-data', queue: 'q', claimsSettled: false },
        { key: 'next', queue: 'q', createdAt: 1 },
      ],
    );
    assert.deepEqual(releaseAll(world), ['next']);
    assert.deepEqual(world.verdictOf('no-data'), { kind: 'data' });
    world.setItem(workOf({ key: 'no-data', queue: 'q' }));
    assert.deepEqual(releaseAll(world), ['no-data']);
  });
});

suite('queues that come, go and are wrong', () => {
  // Volcano's capacity plugin takes nothing into a closed queue; Volcano Global's dispatcher did not look.
  test('closed queues keep their work, and those above them that of theirs', () => {
    const world = worldOf(
      [
        { name: 'department', isOpen: false },
        { name: 'team', parent: 'department' },
        { name: 'other' },
      ],
      [
        { key: 'w', queue: 'team' },
        { key: 'o', queue: 'other' },
      ],
    );
    assert.deepEqual(releaseAll(world), ['o']);
    assert.deepEqual(world.verdictOf('w'), { kind: 'closed', queue: 'department' });
    world.setQueue(queueOf({ name: 'department' }));
    assert.deepEqual(releaseAll(world), ['w']);
  });

  test('a queue in a circle or without its parent is named and left out, and works once that is mended', () => {
    const world = worldOf(
      [
        { name: 'a', parent: 'b' },
        { name: 'b', parent: 'c' },
        { name: 'c', parent: 'a' },
        { name: 'orphan', parent: 'gone' },
        { name: 'well' },
      ],
      ['a', 'c', 'orphan', 'well', 'nowhere'].map((queue) => ({ key: `in-${queue}`, queue })),
    );
    assert.deepEqual(releaseAll(world), ['in-well']);
    assert.equal(world.problemOf('b'), 'its parents form a circle: b, c, a, b');
    assert.equal(world.problemOf('orphan'), 'its parent gone does not exist');
    assert.deepEqual(world.verdictOf('in-nowhere'), {
      kind: 'no-queue',
      why: 'there is no queue nowhere',
    });
    world.setQueue(queueOf({ name: 'b' }));
    assert.deepEqual(releaseAll(world), ['in-c']);
    assert.deepEqual(world.verdictOf('in-a'), { kind: 'has-parts', queue: 'a' });
    world.setQueue(queueOf({ name: 'gone' }));
    assert.deepEqual(releaseAll(world), ['in-orphan']);
    world.removeQueue('gone');
    world.setItem(workOf({ key: 'again', queue: 'orphan' }));
    assert.deepEqual(releaseAll(world), []);
  });

  test('a queue that moves takes its usage along', () => {
    const world = worldOf(
      [
        { name: 'a', guarantee: { cpu: 1 }, deserved: { cpu: 1 } },
        { name: 'b' },
        { name: 'team', parent: 'a' },
      ],
      [{ key: 'w', queue: 'team', requests: { cpu: 3 } }],
    );
    releaseAll(world);
    assert.deepEqual(world.usedBy('a'), amounts({ cpu: 3 }));
    world.setQueue(queueOf({ name: 'team', parent: 'b' }));
    assert.deepEqual([world.usedBy('a').size, world.usedBy('b')], [0, amounts({ cpu: 3 })]);
    world.removeRunning('w');
    assert.deepEqual([world.usedBy('b').size, world.usedBy('root').size], [0, 0]);
  });

  test('amounts beyond the safe integers stay exact', () => {
    const world = worldOf([{ name: 'q' }], [], {});
    const running = { queue: 'q', priority: 0, startedAt: 0, clusters: [] };
    world.setRunning({ ...running, key: 'vast', amounts: amounts({ memory: '9000Pi' }) });
    world.setRunning({ ...running, key: 'tiny', amounts: amounts({ memory: 1 }) });
    world.removeRunning('vast');
    assert.deepEqual(world.usedBy('root'), amounts({ memory: 1 }));
    world.removeRunning('tiny');
    assert.equal(world.usedBy('q').size, 0);
  });
});
