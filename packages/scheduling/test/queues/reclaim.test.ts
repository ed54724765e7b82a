import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { WrittenResourceList } from '@perigee/api/values/resource-list';
import type { WorkQueues } from '@perigee/scheduling/queues/work-queues';
import type { FitsWithout } from '../../src/queues/reclaim.ts';
import { amounts, type QueueSketch, queueOf, releaseAll, workOf, worldOf } from './queue-world.ts';

interface Runs {
  readonly key: string;
  readonly queue: string;
  readonly takes: WrittenResourceList;
  readonly priority?: number;
  readonly startedAt?: number;
}

interface Scene {
  readonly total: WrittenResourceList;
  readonly queues: readonly QueueSketch[];
  readonly running: readonly Runs[];
  readonly waits: { queue: string; asks: WrittenResourceList; priority?: number };
  readonly mostVictims?: number;
  readonly fits?: FitsWithout;
}

const sceneOf = ({ total, queues, running, waits }: Scene): WorkQueues => {
  const world = worldOf(queues, [], total);
  for (const { takes, ...work } of running) {
    world.setRunning({ priority: 0, startedAt: 0, clusters: [], ...work, amounts: amounts(takes) });
  }
  const { asks, ...work } = waits;
  world.setItem(workOf({ key: 'waits', ...work, requests: asks }));
  assert.deepEqual(releaseAll(world), [], 'it would run anyway');
  return world;
};

const victimsIn = (scene: Scene): readonly string[] => {
  const world = sceneOf(scene);
  const before = world.usedBy('root');
  const reclaim = world.chooseReclaim(
    {
      fits: scene.fits ?? (() => ({ kind: 'fits', clusters: {} })),
      mostVictims: scene.mostVictims ?? 10,
    },
    0,
  );
  assert.deepEqual(world.usedBy('root'), before, 'to choose changes nothing');
  const victims = (reclaim?.victims ?? []).map(({ key }) => key);
  for (const key of victims) world.removeRunning(key);
  assert.deepEqual(releaseAll(world), victims.length > 0 ? ['waits'] : [], 'it is of use');
  return victims;
};

const GPU = 'nvidia.com/gpu';

suite('a queue below its deserved takes back', () => {
  const two = { cpu: 2, memory: '4Gi' };
  const total = { cpu: 4, memory: '8Gi' };

  // Case 2 of Volcano's capacity plugin.
  test('from one above its own, the youngest first, and never from one that keeps what it has', () => {
    const scene: Scene = {
      total,
      queues: [
        { name: 'q3', deserved: two },
        { name: 'q4', deserved: two },
      ],
      running: [
        { key: 'older', queue: 'q3', takes: two },
        { key: 'taken', queue: 'q3', takes: two, startedAt: 1 },
      ],
      waits: { queue: 'q4', asks: two },
    };
    assert.deepEqual(victimsIn(scene), ['taken']);
    const [q3, q4] = scene.queues as [QueueSketch, QueueSketch];
    assert.deepEqual(victimsIn({ ...scene, queues: [{ ...q3, isReclaimable: false }, q4] }), []);
  });

  // Case 3 of Volcano's capacity plugin.
  test('GPUs, though it has too much of what the work does not ask for', () => {
    const deserved = { ...two, [GPU]: 10 };
    assert.deepEqual(
      victimsIn({
        total: { ...total, [GPU]: 20 },
        queues: [
          { name: 'q5', deserved },
          { name: 'q6', deserved },
        ],
        running: [
          { key: 'p8', queue: 'q5', takes: { [GPU]: 10 } },
          { key: 'p9', queue: 'q5', takes: { [GPU]: 10 }, startedAt: 1 },
          { key: 'p10', queue: 'q6', takes: two },
          { key: 'p11', queue: 'q6', takes: two },
        ],
        waits: { queue: 'q6', asks: { [GPU]: 10 } },
      }),
      ['p9'],
    );
  });

  const one = { cpu: 1, memory: '1Gi' };
  const tight = { cpu: 2, memory: '4Gi' };

  // Case 5 of Volcano's capacity plugin.
  test('when it stays within what it deserves of one of the resources', () => {
    assert.deepEqual(
      victimsIn({
        total: tight,
        queues: [
          {
            name: 'q10',
            deserved: { cpu: 2, memory: '2Gi' },
            capability: { cpu: 4, memory: '4Gi' },
          },
          { name: 'q11', capability: { cpu: 2, memory: '2Gi' } },
        ],
        running: [
          { key: 'p16', queue: 'q10', takes: { cpu: 1, memory: '3Gi' } },
          { key: 'p18', queue: 'q11', takes: one },
        ],
        waits: { queue: 'q10', asks: one },
      }),
      ['p18'],
    );
  });

  // Case 6 of Volcano's capacity plugin.
  test('nothing when it would have more than it deserves of all of them', () => {
    assert.deepEqual(
      victimsIn({
        total: tight,
        queues: [{ name: 'q12', deserved: { cpu: 1, memory: '2Gi' } }, { name: 'q13' }],
        running: [
          { key: 'p19', queue: 'q12', takes: one },
          { key: 'p21', queue: 'q13', takes: one },
        ],
        waits: { queue: 'q12', asks: { cpu: 1, memory: '2Gi' } },
      }),
      [],
    );
  });

  // Case 7 of Volcano's capacity plugin.
  test('nothing from a queue within its own, though another one has what it lacks least', () => {
    const deserved = { cpu: 2, memory: '4Gi', [GPU]: 2 };
    assert.deepEqual(
      victimsIn({
        total: { cpu: 4, memory: '8Gi', [GPU]: 4 },
        queues: [{ name: 'q14', deserved }, { name: 'q15' }, { name: 'q16', deserved }],
        running: [
          { key: 'p22', queue: 'q14', takes: { cpu: 2, memory: '4Gi' } },
          { key: 'p23', queue: 'q15', takes: { [GPU]: 1 } },
          { key: 'p24', queue: 'q16', takes: { cpu: 2, memory: '1Gi', [GPU]: 1 } },
        ],
        waits: { queue: 'q16', asks: { cpu: 2, memory: '3Gi', [GPU]: 1 } },
      }),
      [],
    );
  });

  // Case 8 of Volcano's capacity plugin.
  test('what it lacks, and not what its work does not ask for', () => {
    assert.deepEqual(
      victimsIn({
        total: { cpu: 4, memory: '8Gi', [GPU]: 1 },
        queues: [
          { name: 'q17', deserved: { cpu: 2, memory: '2Gi' } },
          { name: 'q18', deserved: { cpu: 2, memory: '4Gi', [GPU]: 1 } },
        ],
        running: [
          { key: 'p26', queue: 'q17', takes: { memory: '4Gi' } },
          { key: 'p27', queue: 'q17', takes: { cpu: 1 } },
          { key: 'p28', queue: 'q17', takes: { [GPU]: 1 } },
          { key: 'p29', queue: 'q18', takes: { cpu: 2, memory: '4Gi' } },
        ],
        waits: { queue: 'q18', asks: { cpu: 1, [GPU]: 1 } },
      }),
      ['p28'],
    );
  });

  // Case 9 of Volcano's capacity plugin.
  test('no processors from a queue that has its GPUs, and of all else the same part', () => {
    const scene: Scene = {
      total: { cpu: 4, memory: '8Gi', [GPU]: 1 },
      queues: [
        { name: 'q19', deserved: { [GPU]: 1 } },
        { name: 'q20', deserved: { cpu: 2, memory: '2Gi' } },
      ],
      running: [{ key: 'p31', queue: 'q19', takes: { cpu: 4, memory: '4Gi', [GPU]: 1 } }],
      waits: { queue: 'q20', asks: { cpu: 1, memory: '1Gi' } },
    };
    assert.deepEqual(victimsIn(scene), []);
    // One GPU of two is half of everything.
    const half: Scene = {
      ...scene,
      total: { ...scene.total, [GPU]: 2 },
      running: [
        { key: 'within', queue: 'q19', takes: { cpu: 2, memory: '4Gi', [GPU]: 1 } },
        { key: 'beyond', queue: 'q19', takes: { cpu: 2 } },
      ],
    };
    assert.deepEqual(victimsIn(half), ['beyond']);
  });

  // Case 10 of Volcano's capacity plugin.
  test('nothing beyond its capability', () => {
    assert.deepEqual(
      victimsIn({
        total: { cpu: 4 },
        queues: [
          { name: 'a', deserved: { cpu: 2 }, capability: { cpu: 2 } },
          { name: 'b', deserved: { cpu: 1 } },
        ],
        running: [
          { key: 'a1', queue: 'a', takes: { cpu: 1 } },
          { key: 'b1', queue: 'b', takes: { cpu: 3 } },
        ],
        waits: { queue: 'a', asks: { cpu: 2 } },
      }),
      [],
    );
  });

  test('nothing that is guaranteed to others', () => {
    assert.deepEqual(
      victimsIn({
        total: { cpu: 4 },
        queues: [
          { name: 'a', deserved: { cpu: 2 } },
          { name: 'b', deserved: { cpu: 2 }, guarantee: { cpu: 2 } },
        ],
        running: [{ key: 'b1', queue: 'b', takes: { cpu: 3 } }],
        waits: { queue: 'a', asks: { cpu: 2 } },
      }),
      [],
    );
  });

  test('nothing that the other queue could take back at once', () => {
    assert.deepEqual(
      victimsIn({
        total: { cpu: 3, memory: 3 },
        queues: [
          { name: 'a', deserved: { cpu: 2, memory: 2 } },
          { name: 'b', deserved: { cpu: 2, memory: 2 } },
        ],
        running: [{ key: 'v', queue: 'b', takes: { cpu: 3, memory: 1 } }],
        waits: { queue: 'a', asks: { cpu: 1, memory: 3 } },
      }),
      [],
    );
  });
});

suite('what is taken', () => {
  const queues: readonly QueueSketch[] = [{ name: 'a', deserved: { cpu: 4 } }, { name: 'b' }];
  const running: readonly Runs[] = [
    { key: 'urgent', queue: 'b', takes: { cpu: 1 }, priority: 5, startedAt: 9 },
    { key: 'old', queue: 'b', takes: { cpu: 1 }, startedAt: 1 },
    { key: 'young', queue: 'b', takes: { cpu: 1 }, startedAt: 8 },
    { key: 'big', queue: 'b', takes: { cpu: 3 }, startedAt: 2 },
  ];
  const scene = (cpu: number): Scene => ({
    ...{ total: { cpu: 6 }, queues, running },
    waits: { queue: 'a', asks: { cpu } },
  });

  test('is the lowest priority, then the youngest', () => {
    assert.deepEqual(victimsIn(scene(1)), ['young']);
  });

  test('is whole, and no more than is needed', () => {
    assert.deepEqual(victimsIn(scene(3)), ['big']);
    assert.deepEqual(victimsIn(scene(4)), ['young', 'big']);
  });

  test('is nothing when the budget does not suffice', () => {
    assert.deepEqual(victimsIn({ ...scene(4), mostVictims: 1 }), []);
  });

  test('is only what makes room where the work can run', () => {
    const fits: FitsWithout = (_, gone) =>
      gone.has('old')
        ? { kind: 'fits', clusters: { here: 1 } }
        : { kind: 'not-now', missing: amounts({ cpu: 1 }), clusters: ['here'] };
    assert.deepEqual(victimsIn({ ...scene(1), fits }), ['old']);
  });

  test('is of queues of a low priority first', () => {
    const [a, b] = queues as [QueueSketch, QueueSketch];
    assert.deepEqual(
      victimsIn({
        ...scene(1),
        queues: [a, { ...b, priority: 1 }, { name: 'c' }],
        running: [
          { key: 'in-b', queue: 'b', takes: { cpu: 3 }, startedAt: 5 },
          { key: 'in-c', queue: 'c', takes: { cpu: 3 } },
        ],
      }),
      ['in-c'],
    );
  });

  test('is less urgent work of its own queue, without any due', () => {
    assert.deepEqual(
      victimsIn({
        ...{ total: { cpu: 2 }, queues: [{ name: 'q' }] },
        running: [
          { key: 'same', queue: 'q', takes: { cpu: 1 }, priority: 5 },
          { key: 'less', queue: 'q', takes: { cpu: 1 }, priority: 1 },
        ],
        waits: { queue: 'q', asks: { cpu: 1 }, priority: 5 },
      }),
      ['less'],
    );
  });
});

test('what is taken back goes to the work that it was taken for, not to whoever is quicker', () => {
  const world = sceneOf({
    total: { cpu: 4 },
    queues: [{ name: 'a', deserved: { cpu: 4 } }, { name: 'b' }],
    running: ['v1', 'v2'].map((key) => ({ key, queue: 'b', takes: { cpu: 2 } })),
    waits: { queue: 'a', asks: { cpu: 4 } },
  });
  const fits: FitsWithout = () => ({ kind: 'fits', clusters: { here: 1 } });
  const reclaim = world.chooseReclaim({ fits, mostVictims: 2 }, 0);
  assert.deepEqual(
    reclaim?.victims.map(({ key }) => key),
    ['v1', 'v2'],
  );
  assert.equal(world.chooseReclaim({ fits, mostVictims: 2 }, 0), undefined, 'it is under way');
  world.setItem(workOf({ key: 'quick', queue: 'b', requests: { cpu: 1 } }));
  world.removeRunning('v1');
  assert.deepEqual(releaseAll(world), []);
  world.removeRunning('v2');
  assert.deepEqual(releaseAll(world), ['waits']);
});

suite('departments', () => {
  const queues: readonly QueueSketch[] = [
    { name: 'x', deserved: { cpu: 4 } },
    { name: 'x1', parent: 'x', deserved: { cpu: 2 } },
    { name: 'x2', parent: 'x', deserved: { cpu: 2 } },
    { name: 'y', deserved: { cpu: 4 } },
    { name: 'y1', parent: 'y', deserved: { cpu: 2 } },
    { name: 'y2', parent: 'y', deserved: { cpu: 2 } },
  ];
  const waits = { queue: 'x1', asks: { cpu: 2 } };
  const total = { cpu: 8 };

  test('a sister gives back before another department does', () => {
    const running: readonly Runs[] = [
      { key: 'sister', queue: 'x2', takes: { cpu: 3 } },
      { key: 'stranger', queue: 'y1', takes: { cpu: 5 }, startedAt: 9 },
    ];
    assert.deepEqual(victimsIn({ total, queues, running, waits }), ['sister']);
  });

  test('a team within its due keeps it, though its department has too much', () => {
    const running: readonly Runs[] = [
      { key: 'within', queue: 'y1', takes: { cpu: 2 }, startedAt: 9 },
      { key: 'beyond', queue: 'y2', takes: { cpu: 3 } },
      { key: 'beyond-2', queue: 'y2', takes: { cpu: 2 }, startedAt: 1 },
    ];
    assert.deepEqual(victimsIn({ total, queues, running, waits }), ['beyond-2']);
  });

  test('a team gets nothing when its department has all that it deserves', () => {
    const running: readonly Runs[] = [
      { key: 'sister', queue: 'x2', takes: { cpu: 2 }, startedAt: 1 },
      { key: 'sister-2', queue: 'x2', takes: { cpu: 1 } },
      { key: 'x1', queue: 'x1', takes: { cpu: 1 } },
      { key: 'stranger', queue: 'y1', takes: { cpu: 4 } },
    ];
    const kept = queues.map((queue) => ({ ...queue, isReclaimable: queue.name !== 'x2' }));
    const asksOne = { queue: 'x1', asks: { cpu: 1 } };
    assert.deepEqual(victimsIn({ total, queues: kept, running, waits: asksOne }), []);
    assert.deepEqual(victimsIn({ total, queues, running, waits: asksOne }), ['sister']);
  });

  test('a department that names nothing deserves what its teams do', () => {
    const silent = queues.map((queue) =>
      queue.parent === undefined ? { name: queue.name } : queue,
    );
    const running: readonly Runs[] = [{ key: 'stranger', queue: 'y1', takes: { cpu: 8 } }];
    assert.deepEqual(victimsIn({ total, queues: silent, running, waits }), ['stranger']);
    assert.equal(queueOf({ name: 'x' }).deserved.size, 0);
  });
});

/** The cases in which the capacity plugin of Volcano looks at the queues above, with all of them looked at. */
suite('queues above', () => {
  const A100 = 'nvidia.com/a100';
  const gpus = (count: number) => ({ [A100]: count });
  const rich = { cpu: 16, memory: '16Gi', ...gpus(4) };
  const asks = { cpu: 1, memory: '1Gi', ...gpus(1) };

  test('deserve for a team that says nothing itself', () => {
    assert.deepEqual(
      victimsIn({
        total: rich,
        queues: [
          { name: 'department', deserved: gpus(1) },
          { name: 'team', parent: 'department' },
          { name: 'others' },
        ],
        running: [{ key: 'p1', queue: 'others', takes: { ...asks, ...gpus(4) } }],
        waits: { queue: 'team', asks },
      }),
      ['p1'],
    );
  });

  const projects: readonly QueueSketch[] = [
    { name: 'one', deserved: gpus(1), capability: gpus(2) },
    { name: 'one-kept', parent: 'one', deserved: gpus(1), capability: gpus(1) },
    { name: 'one-lent', parent: 'one' },
    { name: 'two', deserved: gpus(3), capability: gpus(4) },
    { name: 'two-kept', parent: 'two', deserved: gpus(3), capability: gpus(3) },
    { name: 'two-lent', parent: 'two' },
  ];
  const inTwo = (key: string, priority: number): Runs => ({
    ...{ key, priority, queue: 'two-lent', takes: asks },
  });

  test('take back from a project that is above its due with its team', () => {
    const running = [inTwo('p1', 2), inTwo('p2', 2), inTwo('p3', 2), inTwo('p4', 1)];
    const waits = { queue: 'one-lent', asks };
    assert.deepEqual(victimsIn({ total: rich, queues: projects, running, waits }), ['p4']);
  });

  test('leave a project its due, in which a sister gives back', () => {
    const running: readonly Runs[] = [
      ...['p1', 'p2', 'p3'].map((key, at) => ({ ...inTwo(key, 2), startedAt: at })),
      { key: 'p5', queue: 'one-lent', takes: asks },
    ];
    const waits = { queue: 'two-kept', asks };
    assert.deepEqual(victimsIn({ total: rich, queues: projects, running, waits }), ['p3']);
    const more = { queue: 'one-lent', asks };
    assert.deepEqual(victimsIn({ total: rich, queues: projects, running, waits: more }), []);
  });

  test('do not take from a team within its due, though its department is above', () => {
    assert.deepEqual(
      victimsIn({
        total: { cpu: 8, memory: '8Gi', ...gpus(2) },
        queues: [
          { name: 'a', deserved: gpus(1) },
          { name: 'a1', parent: 'a', deserved: gpus(1) },
          { name: 'a2', parent: 'a', isReclaimable: false },
          { name: 'b', deserved: gpus(1) },
          { name: 'b1', parent: 'b', deserved: gpus(1) },
        ],
        running: [
          { key: 'p1', queue: 'a1', takes: asks },
          { key: 'p3', queue: 'a2', takes: asks },
        ],
        waits: { queue: 'b1', asks },
      }),
      [],
    );
  });

  test('do not take from a team above its due, when what it is a part of is not', () => {
    const two = { cpu: 2, memory: '2Gi' };
    const one = { cpu: 1, memory: '1Gi' };
    const queues = (grandB: WrittenResourceList): readonly QueueSketch[] => [
      { name: 'grand-a', deserved: two },
      { name: 'parent-a', parent: 'grand-a', deserved: two },
      { name: 'a', parent: 'parent-a', deserved: two },
      { name: 'grand-b', deserved: grandB },
      { name: 'parent-b', parent: 'grand-b', deserved: one },
      { name: 'b', parent: 'parent-b', deserved: one },
    ];
    const running = [{ key: 'victim', queue: 'b', takes: two }];
    const waits = { queue: 'a', asks: two };
    const scene = { total: two, running, waits };
    assert.deepEqual(victimsIn({ ...scene, queues: queues({ cpu: 3, memory: '3Gi' }) }), []);
    assert.deepEqual(victimsIn({ ...scene, queues: queues(one) }), ['victim']);
    assert.deepEqual(
      victimsIn({
        total: { cpu: 4, memory: '4Gi', ...gpus(2) },
        queues: [
          { name: 'shallow-parent', deserved: gpus(1) },
          { name: 'shallow', parent: 'shallow-parent', deserved: gpus(1) },
          { name: 'deep-grand', deserved: gpus(2) },
          { name: 'deep-parent', parent: 'deep-grand', deserved: gpus(1) },
          { name: 'deep', parent: 'deep-parent', deserved: gpus(1) },
        ],
        running: [{ key: 'victim', queue: 'deep', takes: { ...asks, ...gpus(2) } }],
        waits: { queue: 'shallow', asks },
      }),
      [],
    );
  });

  test('do not settle what teams that say nothing have among each other', () => {
    const two = { cpu: 2, memory: '2Gi' };
    const trees: readonly (readonly QueueSketch[])[] = [
      [
        { name: 'grand', deserved: { cpu: 4, memory: '4Gi' } },
        { name: 'a', parent: 'grand' },
        { name: 'b', parent: 'grand' },
      ],
      [
        { name: 'grand', deserved: two },
        { name: 'parent-a', parent: 'grand' },
        { name: 'a', parent: 'parent-a' },
        { name: 'parent-b', parent: 'grand' },
        { name: 'b', parent: 'parent-b' },
      ],
      [
        { name: 'grand', deserved: { cpu: 1, memory: '1Gi' }, capability: two },
        { name: 'deep', parent: 'grand', deserved: { cpu: 1, memory: '1Gi' }, capability: two },
        { name: 'b', parent: 'deep' },
        { name: 'a', parent: 'grand' },
      ],
    ];
    const running = [{ key: 'victim', queue: 'b', takes: two }];
    const waits = { queue: 'a', asks: two };
    for (const queues of trees) {
      assert.deepEqual(victimsIn({ total: two, queues, running, waits }), []);
    }
  });

  test('do not need to be asked by sisters of whom one is due it', () => {
    assert.deepEqual(
      victimsIn({
        total: { cpu: 16, memory: '16Gi', ...gpus(5) },
        queues: [
          { name: 'department', deserved: gpus(2) },
          { name: 'due', parent: 'department', deserved: gpus(2) },
          { name: 'silent', parent: 'department' },
        ],
        running: [
          { key: 'p17', queue: 'silent', takes: { ...asks, ...gpus(2) }, startedAt: 1 },
          { key: 'p18', queue: 'silent', takes: { ...asks, ...gpus(2) } },
        ],
        waits: { queue: 'due', asks: { ...asks, ...gpus(2) } },
      }),
      ['p17'],
    );
  });
});
