import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { defaultResourceModels } from '@perigee/api/kinds/clusters/standard-resource-models';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { clusterRoomController } from '@perigee/controllers/clusters/room/cluster-room-controller';
import { clusterStatusController } from '@perigee/controllers/clusters/status/cluster-status-controller';
import { MemberUsages } from '@perigee/controllers/clusters/status/member-usages';
import { InProcessMembers } from '@perigee/controllers/members/member-clients';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { executionNamespacesController } from '../../../src/placement/execution-namespaces/execution-namespaces-controller.ts';
import { addBinding, whereabouts } from '../../support/bindings.ts';
import { startControlPlane } from '../../support/control-plane.ts';
import { SimulatedMember } from '../../support/simulated-member.ts';

const ROOM = { namespace: 'karmada-es-m1', name: 'm1' };
const BY_ROOM = {
  replicaScheduling: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Weighted',
    weightPreference: { dynamicWeight: 'AvailableReplicas' },
  },
};

const requests = (cpu: string) => ({
  containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
});

/** A cluster of nodes with 8 cpus, of which something small is taken everywhere, as on real nodes. */
const start = async ({ nodes = 9, hasRoom = true } = {}) => {
  const clock = new VirtualClock();
  const member = new SimulatedMember('m1', clock);
  const members = new InProcessMembers(() => member.client);
  const usages = new MemberUsages();
  const plane = await startControlPlane({
    clock,
    controllers: [
      executionNamespacesController(),
      clusterStatusController({ members, usages }),
      ...(hasRoom ? [clusterRoomController({ usages })] : []),
      schedulerController(ResourceBinding),
    ],
  });
  await member.addNamespaces('default');
  const addPod = (name: string, cpu: string, fields: object) =>
    member.admin.create(Pod, {
      metadata: { name, namespace: 'default' },
      spec: { ...requests(cpu), ...fields },
    } as never);
  for (let at = 0; at < nodes; at += 1) {
    const name = `n${at}`;
    await member.admin.create(Node, { metadata: { name, labels: { disk: `d${at % 2}` } } });
    const status = {
      allocatable: { cpu: '8', memory: '32Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    const patch = { type: 'merge', body: { status } } as const;
    await member.admin.patch(Node, { name }, patch, { subresource: 'status' });
    await addPod(`agent-${at}`, '100m', { nodeName: name });
  }
  const { client } = plane;
  const spec = { syncMode: 'Push', resourceModels: defaultResourceModels() } as never;
  await client.create(MemberCluster, { metadata: { name: 'm1' }, spec });
  await clock.advance(40_000);
  const place = async (name: string, replicas: number, replicaRequirements: object) => {
    await addBinding(client, 'ResourceBinding', name, {
      placement: BY_ROOM,
      spec: {
        resource: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name },
        replicas,
        clusters: undefined,
        replicaRequirements,
      },
      annotations: {},
    });
    await clock.advance(1_000);
    const ref = { namespace: 'default', name };
    const { status } = await client.get(ResourceBinding, ref);
    const { reason, message } = findCondition(status?.conditions, 'Scheduled') ?? {};
    return reason === 'Success' ? whereabouts(client, 'ResourceBinding', name) : message;
  };
  const generation = async () => (await client.get(ClusterRoom, ROOM)).metadata.generation ?? 0;
  return { ...plane, clock, member, place, addPod, generation };
};

describe('the room of a cluster', () => {
  it('takes 40 pods of 1 cpu where 72 cpus are free, which the floor of the resource model refuses', async () => {
    await using graded = await start({ hasRoom: false });
    assert.equal(
      await graded.place('web', 40, { resourceRequest: { cpu: '1' } }),
      'Clusters available replicas 36 are not enough to schedule.',
    );
    await using exact = await start();
    assert.equal(await exact.place('web', 40, { resourceRequest: { cpu: '1' } }), 'm1:40 |');
    const { spec } = await exact.client.get(ClusterRoom, ROOM);
    assert.equal(spec.nodes, 9);
    assert.deepEqual(spec.resources, ['cpu', 'memory', 'pods']);
    assert.deepEqual(
      spec.pools?.map(({ labels, free }) => [labels, free]),
      [
        [{ disk: 'd0' }, [{ nodes: 5, each: ['7900m', '32Gi', '109'] }]],
        [{ disk: 'd1' }, [{ nodes: 4, each: ['7900m', '32Gi', '109'] }]],
      ],
    );
  });

  it('counts only nodes that the pods may run on', async () => {
    await using world = await start();
    const nodeClaim = { nodeSelector: { disk: 'd0' } };
    const requirements = { resourceRequest: { cpu: '1' }, nodeClaim };
    assert.equal(await world.place('fits', 35, requirements), 'm1:35 |');
    assert.equal(
      await world.place('more', 36, requirements),
      'Clusters available replicas 35 are not enough to schedule.',
    );
  });

  it('is told again soon after a change, and waiting work with it', async () => {
    await using world = await start({ nodes: 1 });
    const { clock, client, member } = world;
    await world.addPod('large', '6', { nodeName: 'n0' });
    await clock.advance(1_000);
    const waits = await world.place('web', 4, { resourceRequest: { cpu: '1' } });
    assert.match(String(waits), /available replicas 1 /);
    const ref = { namespace: 'default', name: 'large' };
    await member.admin.delete(Pod, ref, { gracePeriodSeconds: 0 });
    await clock.advance(500);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm1:4 |');
  });

  it('is told once more when it has settled, so that nobody wonders what the last count was of', async () => {
    await using world = await start({ nodes: 1 });
    const { clock, client } = world;
    const countedAt = async () => (await client.get(ClusterRoom, ROOM)).spec.countedAt;
    await world.addPod('one', '1', { nodeName: 'n0' });
    await clock.advance(1_000);
    const [first, writes] = [await countedAt(), await world.generation()];
    await clock.advance(5_000);
    assert.equal(await world.generation(), writes + 1);
    assert.ok((await countedAt()) > first);
    await clock.advance(200_000);
    assert.equal(await world.generation(), writes + 1);
  });

  it('is not written for every pod, nor for what changes nothing', async () => {
    await using world = await start({ nodes: 1 });
    const { clock, member } = world;
    const before = await world.generation();
    for (let at = 0; at < 50; at += 1) {
      await world.addPod(`p${at}`, '1m', { nodeName: 'n0' });
      await clock.advance(10);
    }
    await clock.advance(10_000);
    const writes = (await world.generation()) - before;
    assert.ok(writes >= 2 && writes <= 5, `${writes} writes for 50 pods in 500 ms`);
    const status = { phase: 'Running' };
    const ref = { namespace: 'default', name: 'p1' };
    const options = { subresource: 'status' };
    await member.admin.patch(Pod, ref, { type: 'merge', body: { status } }, options);
    await clock.advance(60_000);
    assert.equal((await world.generation()) - before, writes);
  });

  it('ceases to count when nobody tells it any more', async () => {
    await using world = await start({ hasRoom: false });
    const { clock, client } = world;
    const countedAt = new Date(clock.now()).toISOString();
    const whole = [{ nodes: 9, each: ['8', '110'] }];
    const pools = [{ free: whole, whole }];
    const spec = { countedAt, nodes: 9, resources: ['cpu', 'pods'], pools };
    await client.create(ClusterRoom, { metadata: ROOM, spec });
    const requirements = { resourceRequest: { cpu: '1' } };
    assert.equal(await world.place('fresh', 72, requirements), 'm1:72 |');
    await clock.advance(900_000);
    assert.match(String(await world.place('stale', 72, requirements)), /available replicas 36 /);
  });

  it('is told anew when a cluster comes back under its name', async () => {
    await using world = await start({ nodes: 1 });
    const { client, clock } = world;
    await client.delete(MemberCluster, { name: 'm1' });
    await clock.advance(60_000);
    assert.equal(await getOrUndefined(client, ClusterRoom, ROOM), undefined);
    await client.create(MemberCluster, { metadata: { name: 'm1' }, spec: { syncMode: 'Push' } });
    await clock.advance(60_000);
    assert.equal((await client.get(ClusterRoom, ROOM)).spec.nodes, 1);
  });
});
