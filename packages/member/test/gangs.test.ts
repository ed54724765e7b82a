import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { Client } from '@perigee/kube/client/client';
import { Pod } from '@perigee/kubernetes/core/pod';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import fc from 'fast-check';
import { startCluster, type TestCluster } from './member-fixture.ts';

const namespace = 'default';
const GPU = 'nvidia.com/gpu';
const GROUP = 'scheduling.k8s.io/group-name';

interface Gang {
  readonly name: string;
  readonly pods: number;
  readonly min?: number;
  readonly requests: { readonly [resource: string]: string };
  readonly runFor?: string;
}

const createPod = (
  client: Client,
  name: string,
  requests: Gang['requests'],
  annotations: { readonly [key: string]: string },
) =>
  client.create(Pod, {
    metadata: { namespace, name, annotations },
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'c', image: 'i', resources: { requests, limits: requests } }],
    },
  });

const createGang = async (
  client: Client,
  { name, pods, min = pods, requests, runFor = '5s' }: Gang,
) => {
  await client.create(PodGroup, { metadata: { namespace, name }, spec: { minMember: min } });
  const annotations = { [GROUP]: name, 'member.perigee.io/run-for': runFor };
  for (let index = 0; index < pods; index++) {
    await createPod(client, `${name}-${index}`, requests, annotations);
  }
};

const groupOf = ({ client }: TestCluster, name: string) =>
  client.get(PodGroup, { namespace, name });

const isDone = (cluster: TestCluster, name: string) => async () =>
  (await groupOf(cluster, name)).status?.phase === 'Completed';

describe('gangs in a virtual member', () => {
  it('say which resource is missing, and how much', async () => {
    const nodes = [{ count: 2, cpu: 8, extended: { [GPU]: 2 } }];
    await using cluster = await startCluster({ nodes });
    const { client, clock } = cluster;
    await createGang(client, { name: 'big', pods: 4, requests: { [GPU]: '2' } });
    await createGang(client, { name: 'wide', pods: 1, requests: { [GPU]: '3' } });
    await client.create(PodGroup, { metadata: { namespace, name: 'few' }, spec: { minMember: 3 } });
    await createPod(client, 'few-0', {}, { [GROUP]: 'few' });
    await clock.advance(2000);
    const unschedulable = async (name: string) => {
      const [condition, ...others] = (await groupOf(cluster, name)).status?.conditions ?? [];
      assert.deepEqual(others, []);
      return `${condition?.type} ${condition?.reason} ${condition?.message}`;
    };
    assert.equal(
      await unschedulable('big'),
      `Unschedulable NotEnoughResources 0 of 4 pods have nodes, 4 are needed: pod group is not ready, 4 Pending, 0 Running, 4 minAvailable: 2 more pods must find a node: 4 ${GPU} missing`,
    );
    assert.match(
      await unschedulable('wide'),
      /NotEnoughResources .*: 1 more pod must find a node: 0\/2 nodes are available: 2 Insufficient nvidia.com\/gpu\.$/,
    );
    assert.equal(
      await unschedulable('few'),
      'Unschedulable NotEnoughTasks there are 1 pods, 3 are needed',
    );
    assert.ok((await cluster.pods()).every(({ spec }) => !spec.nodeName));
    await createPod(client, 'few-1', {}, { [GROUP]: 'few' });
    await createPod(client, 'few-2', {}, { [GROUP]: 'few' });
    await cluster.until(isDone(cluster, 'few'));
    const { conditions } = (await groupOf(cluster, 'few')).status ?? {};
    assert.deepEqual(
      conditions?.map(({ type, reason }) => [type, reason]),
      [['Scheduled', 'EnoughPodsScheduled']],
    );
  });

  it('do not starve behind small work that always finds a little room', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 1, cpu: 4 }] });
    const { client, clock } = cluster;
    let small = 0;
    const feed = async () => {
      // Four at any time, one of which ends every five seconds.
      const annotations = { 'member.perigee.io/run-for': '20s' };
      await createPod(client, `small-${small++}`, { cpu: '1' }, annotations);
    };
    for (let pod = 0; pod < 4; pod++) {
      await feed();
      await clock.advance(5000);
    }
    await createGang(client, { name: 'big', pods: 4, requests: { cpu: '1' } });
    for (let round = 0; round < 40; round++) {
      await feed();
      await clock.advance(5000);
      if ((await groupOf(cluster, 'big')).status?.phase === 'Completed') break;
    }
    assert.equal((await groupOf(cluster, 'big')).status?.phase, 'Completed');
    const waited = (await cluster.pods()).filter(({ metadata }) =>
      metadata.name.startsWith('small'),
    );
    assert.ok(waited.length > 8, 'small work went first for a while');
    await cluster.until(async () =>
      (await cluster.pods()).every(({ status }) => status?.phase === 'Succeeded'),
    );
  });

  it('that fit nowhere hold nobody up', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 1, cpu: 4 }] });
    const { client, clock } = cluster;
    await createGang(client, { name: 'huge', pods: 5, requests: { cpu: '1' } });
    await clock.advance(300_000);
    await createGang(client, { name: 'small', pods: 4, requests: { cpu: '1' } });
    await cluster.until(isDone(cluster, 'small'));
  });

  it('that wait behind services, which never end, hold nobody up; those behind jobs are waited for', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 1, cpu: 6 }] });
    const { client, clock, pods, until } = cluster;
    const hasNode = (name: string) => async () =>
      (await pods()).some(({ metadata, spec }) => metadata.name === name && spec.nodeName);
    const create = (name: string, restartPolicy: string, cpu: string) =>
      client.create(Pod, {
        metadata: { namespace, name, annotations: { 'member.perigee.io/run-for': '300s' } },
        spec: {
          restartPolicy,
          containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
        },
      });
    await client.create(PriorityClass, { metadata: { name: 'urgent' }, value: 10 });
    await create('service', 'Always', '2');
    await create('job', 'Never', '2');
    await until(hasNode('job'));
    await createGang(client, { name: 'never', pods: 5, requests: { cpu: '1' } });
    await clock.advance(90_000);
    await create('small', 'Never', '1');
    await until(hasNode('small'), 10);
    await createGang(client, { name: 'later', pods: 4, requests: { cpu: '1' } });
    await clock.advance(90_000);
    await create('late', 'Never', '1');
    await clock.advance(10_000);
    assert.equal(await hasNode('late')(), false, 'room is kept for the gang after the job');
    // The service takes more: now nothing that ends makes room enough.
    await client.delete(Pod, { namespace, name: 'job' }, { gracePeriodSeconds: 0 });
    await client.create(Pod, {
      metadata: { namespace, name: 'urgent' },
      spec: {
        priorityClassName: 'urgent',
        containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '2' } } }],
      },
    });
    await until(hasNode('urgent'), 10);
    await until(hasNode('late'), 120);
  });

  it('that lost members do not keep what is left from each other', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 1, cpu: 7 }] });
    const { client, clock, until, pods } = cluster;
    const requests = { cpu: '1' };
    const member = (gang: string, name: string) =>
      createPod(client, name, requests, { [GROUP]: gang, 'member.perigee.io/run-for': '24h' });
    const run = (names: readonly string[]) => async () => {
      const having = (await pods()).filter(({ spec }) => spec.nodeName);
      return names.every((name) => having.some(({ metadata }) => metadata.name === name));
    };
    await createGang(client, { name: 'a', pods: 4, requests, runFor: '24h' });
    await createGang(client, { name: 'b', pods: 3, requests, runFor: '24h' });
    await until(run(['a-0', 'a-1', 'a-2', 'a-3', 'b-0', 'b-1', 'b-2']));
    for (const name of ['a-2', 'a-3', 'b-2']) {
      await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0 });
    }
    await createPod(client, 'other', { cpu: '2' }, { 'member.perigee.io/run-for': '24h' });
    await until(run(['other']));
    await member('a', 'a-4');
    await member('a', 'a-5');
    await clock.advance(90_000);
    assert.equal(await run(['a-4'])(), false, 'there is room for one of two');
    await member('b', 'b-3');
    await until(run(['b-3']), 60);
    await client.delete(Pod, { namespace, name: 'other' }, { gracePeriodSeconds: 0 });
    await until(run(['a-4', 'a-5']), 60);
  });

  it('whatever they and the nodes are like: start whole or not at all, and all that fit come to an end', async () => {
    const gang = fc.record({
      pods: fc.integer({ min: 1, max: 6 }),
      spare: fc.nat(2),
      cpu: fc.integer({ min: 1, max: 4 }),
      gpu: fc.nat(1),
      seconds: fc.integer({ min: 1, max: 40 }),
    });
    const shapes = fc.array(fc.record({ cpu: fc.integer({ min: 2, max: 8 }), gpu: fc.nat(2) }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(
        shapes,
        fc.array(gang, { minLength: 2, maxLength: 6 }),
        async (nodes, gangs) => {
          await using cluster = await startCluster({
            nodes: nodes.map(({ cpu, gpu }, index) => ({
              name: `n${index}`,
              count: 1,
              cpu,
              extended: { [GPU]: gpu },
            })),
          });
          const { client, clock } = cluster;
          const named = gangs.map(({ pods, spare, cpu, gpu, seconds }, index) => ({
            name: `g${index}`,
            pods,
            min: Math.max(1, pods - spare),
            requests: { cpu: `${cpu}`, ...(gpu > 0 ? { [GPU]: `${gpu}` } : {}) },
            runFor: `${seconds}s`,
            // All pods of a gang are alike, so that how many an empty cluster holds is a plain sum.
            room: nodes
              .map((node) =>
                Math.min(Math.floor(node.cpu / cpu), gpu > 0 ? Math.floor(node.gpu / gpu) : 99),
              )
              .reduce((sum, pods) => sum + pods, 0),
          }));
          for (const one of named) await createGang(client, one);
          const mustEnd = named.filter(({ min, room }) => min <= room);
          for (let second = 0; second < 900; second += 5) {
            await clock.advance(5000);
            const all = await cluster.pods();
            const states = named.map(({ name, min }) => {
              const pods = all.filter(({ metadata }) => metadata.annotations?.[GROUP] === name);
              const started = pods.filter(({ spec }) => spec.nodeName).length;
              assert.ok(started === 0 || started >= min, `${name} has started in part`);
              return { name, isOver: pods.every(({ status }) => status?.phase === 'Succeeded') };
            });
            const isOver = (name: string) => states.find((state) => state.name === name)?.isOver;
            if (mustEnd.every(({ name }) => isOver(name))) return;
          }
          assert.fail(`not all of ${mustEnd.map(({ name }) => name)} came to an end`);
        },
      ),
      { numRuns: 12 },
    );
  });
});
