import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node } from '@perigee/kubernetes/core/node';
import type { Pod } from '@perigee/kubernetes/core/pod';
import fc from 'fast-check';
import { makeNode } from '../src/nodes/make-node.ts';
import type { NodeShape } from '../src/nodes/node-shape.ts';
import { NodeTable } from '../src/scheduler/node-table.ts';
import { Placement } from '../src/scheduler/placement.ts';
import { demandOf } from '../src/scheduler/pod-demand.ts';

const NOW = '2026-01-01T00:00:00Z';
const GPU = 'nvidia.com/gpu';

const node = (shape: Partial<NodeShape>, name: string): Node => {
  const { metadata, ...rest } = makeNode({ count: 1, ...shape }, { name, ordinal: 1 }, 'v1', NOW);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    ...rest,
    metadata: { ...metadata, name, uid: name, resourceVersion: '1', creationTimestamp: NOW },
  };
};

const pod = (name: string, requests: { readonly [resource: string]: string }): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', creationTimestamp: NOW },
  spec: { containers: [{ name: 'c', resources: { requests } }] },
});

const step = fc.oneof(
  fc.record({
    kind: fc.constant('pod' as const),
    cpu: fc.integer({ min: 0, max: 4 }),
    gpu: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ kind: fc.constant('end' as const), which: fc.nat(30) }),
  fc.record({ kind: fc.constant('drop' as const), which: fc.nat(5) }),
);

describe('placing pods', () => {
  it('never gives a node more than it has, and refuses only what fits nowhere', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ cpu: fc.integer({ min: 1, max: 8 }), gpu: fc.nat(2) }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.array(step, { maxLength: 60 }),
        (shapes, steps) => {
          const table = new NodeTable();
          const placement = new Placement(table);
          const left = new Map<string, { cpu: number; gpu: number; pods: number }>();
          for (const [index, { cpu, gpu }] of shapes.entries()) {
            table.putNode(node({ cpu, pods: 5, extended: { [GPU]: gpu } }, `n${index}`));
            left.set(`n${index}`, { cpu, gpu, pods: 5 });
          }
          const placed: { name: string; node: string; cpu: number; gpu: number }[] = [];
          for (const [index, it] of steps.entries()) {
            if (it.kind === 'drop') {
              table.removeNode(`n${it.which}`);
              left.delete(`n${it.which}`);
            } else if (it.kind === 'end') {
              const [gone] = placed.splice(it.which, 1);
              if (gone === undefined) continue;
              table.remove(gone.name);
              const room = left.get(gone.node);
              if (room === undefined) continue;
              room.cpu += gone.cpu;
              room.gpu += gone.gpu;
              room.pods += 1;
            } else {
              const { cpu, gpu } = it;
              const name = `p${index}`;
              const verdict = placement.place(pod(name, { cpu: `${cpu}`, [GPU]: `${gpu}` }));
              const fits = [...left.values()].some(
                (room) => room.cpu >= cpu && room.gpu >= gpu && room.pods > 0,
              );
              assert.equal(verdict.kind === 'found', fits);
              if (verdict.kind !== 'found') continue;
              const room = left.get(verdict.node);
              assert.ok(room && room.cpu >= cpu && room.gpu >= gpu && room.pods > 0);
              room.cpu -= cpu;
              room.gpu -= gpu;
              room.pods -= 1;
              placed.push({ name, node: verdict.node, cpu, gpu });
            }
          }
        },
      ),
    );
  });

  it('looks at about one node for each pod, and at none for those like one that was refused', () => {
    const table = new NodeTable();
    for (let index = 0; index < 1000; index++) {
      const shape = index % 10 === 0 ? { extended: { [GPU]: 8 } } : {};
      table.putNode(node({ ...shape, cpu: 10 }, `n${index}`));
    }
    const placement = new Placement(table);
    const spread = new Map<string, number>();
    for (let index = 0; index < 10_000; index++) {
      const verdict = placement.place(pod(`p${index}`, { cpu: '1' }));
      assert.equal(verdict.kind, 'found');
      if (verdict.kind === 'found') spread.set(verdict.node, (spread.get(verdict.node) ?? 0) + 1);
    }
    assert.ok([...spread.values()].every((pods) => pods === 10));
    // There are two groups of nodes; a group is searched only when it is full or nearly so.
    assert.ok(placement.examined < 4 * 10_000, `${placement.examined}`);
    const before = placement.examined;
    for (let index = 0; index < 10_000; index++) {
      assert.equal(placement.place(pod(`q${index}`, { cpu: '1' })).kind, 'nowhere');
    }
    assert.ok(placement.examined - before <= 1002, `${placement.examined - before}`);
  });

  it('finds devices among full nodes without looking at all of them each time', () => {
    const table = new NodeTable();
    for (let index = 0; index < 500; index++) {
      table.putNode(node({ cpu: 100, extended: { [GPU]: 2 } }, `n${index}`));
    }
    const placement = new Placement(table);
    for (let index = 0; index < 1000; index++) {
      const verdict = placement.place(pod(`p${index}`, { cpu: '1', [GPU]: '1' }));
      assert.equal(verdict.kind, 'found');
    }
    assert.ok(placement.examined < 2000, `${placement.examined}`);
  });

  it('takes back a place that was only tried', () => {
    const table = new NodeTable();
    table.putNode(node({ cpu: 1 }, 'n'));
    const one = pod('a', { cpu: '1' });
    table.place('a', 'n', demandOf(one));
    assert.equal(table.slot('n')?.fits(demandOf(one)), false);
    table.undo('a');
    assert.equal(table.slot('n')?.fits(demandOf(one)), true);
  });
});
