import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationKindName } from '@perigee/scheduling/flows/operation';
import { DyingProcess } from './dying-process.ts';
import { startFlowWorld } from './flow-world.ts';

const MANAGER = 'perigee-data-operations';
const SIMULATED = { annotations: { 'flows.perigee.io/simulate': 'true' } };
const STEPS: readonly (readonly [OperationKindName, string, object])[] = [
  ['DataMigrate', 'fetch', {}],
  ['DataLoad', 'warm', { runAfter: { kind: 'DataMigrate', name: 'fetch' } }],
  ['DataProcess', 'clean', { runAfter: { kind: 'DataLoad', name: 'warm' } }],
  ['DataBackup', 'keep', { runAfter: { kind: 'DataLoad', name: 'warm' } }],
  [
    'DataProcess',
    'train',
    {
      runAfterAll: [
        { kind: 'DataProcess', name: 'clean' },
        { kind: 'DataBackup', name: 'keep' },
      ],
    },
  ],
];

/** The phases without what was only written again. */
const changes = (phases: readonly string[]): readonly string[] =>
  phases.filter((phase, at) => phase !== phases[at - 1]);

for (const when of ['before', 'after'] as const) {
  test(`a crash ${when} each write: no step is lost, and none is done twice`, async () => {
    const dying = new DyingProcess({ when, diesAt: ({ manager }) => manager === MANAGER });
    await using world = await startFlowWorld({ reach: dying.reach });
    await world.setPods('m1', 'played');
    await world.dataset();
    for (const [kind, name, spec] of STEPS) await world.create(kind, name, spec, SIMULATED);

    /** Lets it do what it can, and starts it anew whenever it has died. */
    const settle = async (): Promise<void> => {
      await world.settle();
      while (dying.isDead) {
        dying.isDead = false;
        await world.restart();
        await world.settle();
      }
    };
    const isOver = async () => {
      const all = STEPS.map(([kind, name]) => world.state(kind, name));
      return (await Promise.all(all)).every((state) => state === 'Complete Simulated');
    };
    const ended = new Set<string>();
    for (let rounds = 0; rounds < 20 && !(await isOver()); rounds++) {
      await settle();
      for (const [, name] of STEPS) {
        const job = await world.job('m1', name);
        if (job === undefined || ended.has(name)) continue;
        await world.report('m1', name, 'complete');
        ended.add(name);
      }
      await settle();
    }
    assert.ok(await isOver(), JSON.stringify([...dying.phases]));
    assert.ok(dying.crashes >= 5 * 5, `it crashed ${dying.crashes} times`);
    for (const [kind, name] of STEPS) {
      const { status } = await world.get(kind, name);
      assert.equal(status?.attempts, 1, name);
      assert.deepEqual(
        changes(dying.phases.get(name) ?? []),
        ['Pending', 'Executing', 'Complete'],
        name,
      );
    }
    const jobs = await world.jobsIn('m1');
    assert.equal(jobs.length, STEPS.length);
    assert.equal((await world.templates()).length, STEPS.length);
    const made = world.member('m1').requests.filter((request) => /^create jobs/.test(request));
    assert.equal(made.length, STEPS.length, 'each Job was made once');

    // A last restart finds nothing to write.
    const written = JSON.stringify([...dying.phases]);
    await world.restart();
    await world.settle(30_000);
    assert.equal(JSON.stringify([...dying.phases]), written);
  });
}
