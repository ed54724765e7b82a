import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod, type PodSpec } from '@perigee/kubernetes/core/pod';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { podCondition } from '../src/pods/pod-state.ts';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const asking = (cpu: string, more: { readonly [resource: string]: string } = {}) => ({
  containers: [{ name: 'main', image: 'i', resources: { requests: { cpu }, limits: more } }],
});

const create = (
  { client }: TestCluster,
  name: string,
  spec: Partial<PodSpec>,
  annotations: { readonly [key: string]: string } = {},
): Promise<Pod> =>
  client.create(Pod, {
    metadata: { namespace: 'default', name, annotations },
    spec: { ...template('x').spec, ...spec },
  });

const nodesOf = async (cluster: TestCluster): Promise<{ [pod: string]: string | undefined }> =>
  Object.fromEntries(
    (await cluster.pods()).map(({ metadata, spec }) => [metadata.name, spec.nodeName]),
  );

const whyNot = async ({ client }: TestCluster, name: string): Promise<string | undefined> =>
  podCondition(await client.get(Pod, { namespace: 'default', name }), 'PodScheduled')?.message;

const GPU = 'nvidia.com/gpu';

describe('the scheduler', () => {
  it('goes by selectors, affinity, taints and what is left', async () => {
    await using cluster = await startCluster({
      nodes: [
        { name: 'plain', count: 2, cpu: 4 },
        {
          name: 'gpu',
          count: 1,
          cpu: 8,
          extended: { [GPU]: 2 },
          labels: { zone: 'b' },
          taints: [{ key: 'gpu', effect: 'NoSchedule' }],
        },
      ],
    });
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    const inZone = (operator: string) => ({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator, values: ['b'] }] }],
        },
      },
    });
    await create(cluster, 'a', asking('3'));
    await create(cluster, 'b', asking('3'));
    await create(cluster, 'c', asking('3'));
    await create(cluster, 'd', { ...asking('1', { [GPU]: '2' }), tolerations });
    await create(cluster, 'e', { ...asking('1'), tolerations, affinity: inZone('In') });
    await create(cluster, 'f', { ...asking('1'), tolerations, nodeSelector: { zone: 'c' } });
    await create(cluster, 'g', { ...asking('1', { [GPU]: '1' }), tolerations });
    await create(cluster, 'h', {
      ...asking('1'),
      nodeSelector: { 'kubernetes.io/hostname': 'plain-1' },
    });
    await cluster.clock.advance(1000);
    assert.deepEqual(await nodesOf(cluster), {
      a: 'plain-0',
      b: 'plain-1',
      c: undefined,
      d: 'gpu-0',
      e: 'gpu-0',
      f: undefined,
      g: undefined,
      h: 'plain-1',
    });
    assert.equal(
      await whyNot(cluster, 'c'),
      '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.',
    );
    assert.equal(
      await whyNot(cluster, 'f'),
      "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
    );
    assert.equal(await whyNot(cluster, 'g'), `0/3 nodes are available: 3 Insufficient ${GPU}.`);
  });

  it('tries again when a pod ends, or a node may be used again', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 2, cpu: 2 }] });
    const { client } = cluster;
    const cordon = (unschedulable: boolean | null) =>
      client.patch(Node, { name: 'node-1' }, { type: 'merge', body: { spec: { unschedulable } } });
    await cordon(true);
    await create(cluster, 'first', { ...asking('2'), restartPolicy: 'Never' });
    await cluster.clock.advance(10);
    await create(cluster, 'second', asking('2'));
    await create(cluster, 'third', asking('2'));
    await cluster.clock.advance(10);
    const waiting = { second: undefined, third: undefined };
    assert.deepEqual(await nodesOf(cluster), { first: 'node-0', ...waiting });
    assert.equal(
      await whyNot(cluster, 'third'),
      '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.',
    );
    await cluster.clock.advance(10_000);
    assert.deepEqual(await nodesOf(cluster), { first: 'node-0', ...waiting, second: 'node-0' });
    await cordon(null);
    await cluster.clock.advance(10);
    assert.equal((await nodesOf(cluster)).third, 'node-1');
  });

  it('lets pods of higher priority go first', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 1, cpu: 1 }] });
    await cluster.client.create(PriorityClass, { metadata: { name: 'high' }, value: 1000 });
    await create(cluster, 'blocks', { ...asking('1'), restartPolicy: 'Never' });
    await cluster.clock.advance(10);
    await create(cluster, 'low', asking('1'));
    await create(cluster, 'high', { ...asking('1'), priorityClassName: 'high' });
    await cluster.clock.advance(20_000);
    assert.deepEqual(await nodesOf(cluster), { blocks: 'node-0', low: undefined, high: 'node-0' });
  });

  it('prefers nodes that a pod prefers, and that do not ask it to stay away', async () => {
    await using cluster = await startCluster({
      nodes: [
        { name: 'a', count: 1, taints: [{ key: 'x', effect: 'PreferNoSchedule' }] },
        { name: 'b', count: 1, labels: { fast: 'yes' }, cpu: 2 },
        { name: 'c', count: 1 },
      ],
    });
    await create(cluster, 'plain', asking('1'));
    const preference = { matchExpressions: [{ key: 'fast', operator: 'Exists' }] };
    await create(cluster, 'fast', {
      ...asking('1'),
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }],
        },
      },
    });
    await cluster.clock.advance(10);
    assert.deepEqual(await nodesOf(cluster), { plain: 'c-0', fast: 'b-0' });
  });

  it('starts all of a group, or none', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 2, cpu: 2 }] });
    const { client } = cluster;
    const inGroup = { 'scheduling.k8s.io/group-name': 'g' };
    await client.create(PodGroup, {
      metadata: { namespace: 'default', name: 'g' },
      spec: { minMember: 3 },
    });
    await create(cluster, 'other', { ...asking('2'), restartPolicy: 'Never' });
    await cluster.clock.advance(10);
    for (const name of ['m1', 'm2']) await create(cluster, name, asking('1'), inGroup);
    await cluster.clock.advance(10);
    assert.match((await whyNot(cluster, 'm1')) ?? '', /pod group is not ready, .* 3 minAvailable/);
    await create(cluster, 'm3', asking('1'), inGroup);
    await cluster.clock.advance(500);
    const before = await nodesOf(cluster);
    assert.deepEqual([before.m1, before.m2, before.m3], [undefined, undefined, undefined]);
    // Room that the group does not get stays free for others.
    await create(cluster, 'small', asking('1'));
    await cluster.clock.advance(500);
    assert.equal((await nodesOf(cluster)).small, 'node-1');
    await cluster.clock.advance(10_000);
    const after = await nodesOf(cluster);
    assert.ok(after.m1 && after.m2 && after.m3);
  });
});
