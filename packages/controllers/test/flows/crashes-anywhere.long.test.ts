import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { datasetController } from '@perigee/controllers/flows/dataset-controller';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { OperationKindName } from '@perigee/scheduling/flows/operation';
import { DyingProcess } from './dying-process.ts';
import { startFlowWorld } from './flow-world.ts';

const RESULT = { result: { bytes: 10, files: 1, digest: 'd' } };
const STEPS: readonly (readonly [OperationKindName, string, object])[] = [
  ['DataMigrate', 'fetch', { to: { dataset: { name: 'lake' } } }],
  [
    'DataLoad',
    'warm',
    { dataset: { name: 'raw' }, runAfter: { kind: 'DataMigrate', name: 'fetch' } },
  ],
  ['DataProcess', 'train', { runAfter: { kind: 'DataLoad', name: 'warm' } }],
];
/** The step that brings each dataset to where it is. */
const BROUGHT_BY: { readonly [source: string]: string } = {
  'fluid-dataset.default.lake': 'fetch',
  'fluid-dataset.default.raw': 'warm',
};
/** At least so many durable writes there are on the way: statuses, Jobs, bindings, Works, datasets and sources. */
const FEWEST = 75;

/** The phases without what was only written again. */
const changes = (phases: readonly string[]): readonly string[] =>
  phases.filter((phase, at) => phase !== phases[at - 1]);

for (const when of ['before', 'after'] as const) {
  test(`killed right ${when} each durable write of a flow, the control plane completes it once`, {
    timeout: 300_000,
  }, async (t) => {
    const done = new Set<string>();
    const wrong: string[] = [];
    const dying = new DyingProcess({
      when,
      // Nothing depends on what is told in events.
      diesAt: ({ kind, manager }) => manager !== undefined && kind !== 'Event',
      onWritten: ({ kind, name, body }) => {
        if (kind !== DataSource.kind) return;
        const { spec } = body as Partial<DataSource>;
        const [first] = spec?.locality.clusterNames ?? [];
        const by = BROUGHT_BY[name] ?? '';
        if (first !== undefined && !done.has(by)) wrong.push(`${name} in ${first} before ${by}`);
      },
    });
    await using world = await startFlowWorld({
      reach: dying.reach,
      further: () => [datasetController()],
    });
    const settle = async (): Promise<void> => {
      await world.settle();
      while (dying.isDead) {
        dying.isDead = false;
        await world.restart();
        await world.settle();
      }
    };
    await settle();
    for (const [name, mounts] of [
      ['lake', []],
      ['raw', [{ mountPoint: 'dataset://default/lake', path: '/' }]],
    ] as const) {
      const spec = mounts.length === 0 ? {} : { mounts };
      await world.client.create(Dataset, { metadata: { namespace: 'default', name }, spec });
    }
    for (const [kind, name, spec] of STEPS) await world.create(kind, name, spec);

    const isOver = async (): Promise<boolean> => {
      const all = STEPS.map(([kind, name]) => world.state(kind, name));
      return (await Promise.all(all)).every((state) => state === 'Complete Succeeded');
    };
    for (let rounds = 0; rounds < 20 && !(await isOver()); rounds++) {
      await settle();
      for (const [, name] of STEPS) {
        if (done.has(name) || (await world.job('m1', name)) === undefined) continue;
        done.add(name);
        await world.report('m1', name, 'complete', RESULT);
      }
    }
    await settle();
    t.diagnostic(`${dying.crashes} writes`);
    assert.ok(await isOver(), JSON.stringify([...dying.phases]));
    assert.ok(dying.crashes >= FEWEST, `it died ${dying.crashes} times`);
    assert.deepEqual(wrong, []);
    for (const [kind, name] of STEPS) {
      const { status } = await world.get(kind, name);
      assert.equal(status?.attempts, 1, name);
      const phases = changes(dying.phases.get(name) ?? []);
      assert.deepEqual(phases, ['Pending', 'Executing', 'Complete'], name);
    }
    assert.equal((await world.jobsIn('m1')).length, STEPS.length);
    assert.equal((await world.templates()).length, STEPS.length);
    const made = world.member('m1').requests.filter((request) => /^create jobs/.test(request));
    assert.equal(made.length, STEPS.length, 'each Job was made once');
    for (const name of Object.keys(BROUGHT_BY)) {
      const source = await getOrUndefined(world.client, DataSource, { name });
      assert.deepEqual(source?.spec.locality.clusterNames, ['m1'], name);
    }
  });
}
