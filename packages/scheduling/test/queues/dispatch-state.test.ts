import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import { DispatchState } from '@perigee/scheduling/queues/dispatch-state';
import type { PromisedRoom } from '@perigee/scheduling/queues/promised-room';
import type { Feasibility } from '@perigee/scheduling/queues/work-item';
import { QUEUED, RESERVED } from '../../src/placement/binding/queue-marks.ts';

/** Two clusters, each with room for one piece of work. */
const CLUSTERS = ['m1', 'm2'].map((name) => ({ name }) as never);

const fits = (_: ResourceBinding, promised: PromisedRoom): Feasibility => {
  const free = CLUSTERS.find((cluster) => promised.restOf(cluster) === cluster);
  const name = (free as unknown as { name: string } | undefined)?.name;
  return name === undefined
    ? { kind: 'not-now', missing: new Map(), clusters: ['m1', 'm2'] }
    : { kind: 'fits', clusters: { [name]: 1 } };
};

const bindingOf = (name: string, spec: object = {}, marks: object = {}): ResourceBinding =>
  ({
    metadata: {
      namespace: 'default',
      name,
      annotations: { [QUEUED]: '{"queue":"q","since":0}', ...marks },
    },
    spec: { resource: { apiVersion: 'batch/v1', kind: 'Job', name }, ...spec },
  }) as never;

const FACTS = { priority: 0, isAllowed: true, copies: 1, shape: 's' };

const worldOf = (...names: readonly string[]) => {
  const bindings = new Map(names.map((name) => [name, bindingOf(name)]));
  const state = new DispatchState({ bindingOf: (key) => bindings.get(key), feasibility: fits });
  state.setQueue({ metadata: { name: 'q' }, spec: { weight: 1, reclaimable: true } } as Queue);
  const set = (name: string, binding = bindingOf(name)) => {
    bindings.set(name, binding);
    state.setBinding(name, binding, FACTS, 0);
  };
  for (const name of names) set(name);
  return { state, set, chosen: () => [...state.choose(0)].map(({ key }) => key) };
};

suite('the room that is kept for work', () => {
  test('goes to the next when the scheduler places that work elsewhere, without a report', () => {
    const { set, chosen } = worldOf('a', 'b', 'c', 'd');
    assert.deepEqual(chosen(), ['a', 'b'], 'each has a cluster');
    const marks = { [RESERVED]: '{"clusters":{"m1":1},"at":0}' };
    // Both in one cluster, as its scheduler knows better.
    set('a', bindingOf('a', { clusters: [{ name: 'm2' }] }, marks));
    assert.deepEqual(chosen(), ['c']);
  });
});
