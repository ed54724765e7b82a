import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ClusterTaintPolicy } from '@perigee/api/kinds/clusters/cluster-taint-policy';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { clusterHealthController } from '@perigee/controllers/clusters/health/cluster-health-controller';
import { clusterTaintPolicyController } from '@perigee/controllers/clusters/health/cluster-taint-policy-controller';
import { clusterStatusController } from '@perigee/controllers/clusters/status/cluster-status-controller';
import { InProcessMembers } from '@perigee/controllers/members/member-clients';
import { MemberInformers } from '@perigee/controllers/members/member-informers';
import { executionController } from '@perigee/controllers/placement/execution/execution-controller';
import { gracefulEvictionController } from '@perigee/controllers/placement/failover/graceful-eviction/graceful-eviction-controller';
import { taintEvictionController } from '@perigee/controllers/placement/failover/taint-eviction/taint-eviction-controller';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { workStatusController } from '@perigee/controllers/placement/work-status/work-status-controller';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Node } from '@perigee/kubernetes/core/node';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { EvictionPacer } from '@perigee/scheduling/placement/failover/eviction-pacer';
import { bindingStatusController } from '../../../../src/placement/binding-status/binding-status-controller.ts';
import { bindingWorkController } from '../../../../src/placement/binding-work/binding-work-controller.ts';
import { executionNamespacesController } from '../../../../src/placement/execution-namespaces/execution-namespaces-controller.ts';
import { addBinding, whereabouts } from '../../../support/bindings.ts';
import { startControlPlane } from '../../../support/control-plane.ts';
import { deployment } from '../../../support/kinds.ts';
import { SimulatedMember } from '../../../support/simulated-member.ts';

const startWorld = async () => {
  const clock = new VirtualClock();
  const clusters = new Map(['m1', 'm2'].map((name) => [name, new SimulatedMember(name, clock)]));
  const members = new InProcessMembers(({ metadata }) => clusters.get(metadata.name)?.client);
  const pacer = new EvictionPacer();
  const views = new MemberInformers({ members, clock });
  const options = { members: views, interpreter: createInterpreter(nativeKinds) };
  const plane = await startControlPlane({
    clock,
    controllers: [
      executionNamespacesController(),
      clusterStatusController({ members }),
      clusterHealthController(),
      clusterTaintPolicyController(),
      ...BINDING_KINDS.map((kind) => schedulerController(kind)),
      ...BINDING_KINDS.map((kind) => bindingWorkController(kind, options)),
      executionController(options),
      workStatusController(options),
      ...BINDING_KINDS.map((kind) => bindingStatusController(kind, options)),
      ...BINDING_KINDS.map((kind) => taintEvictionController(kind, { pacer })),
      ...BINDING_KINDS.map((kind) => gracefulEvictionController(kind)),
    ],
  });
  for (const [name, { admin }] of clusters) {
    await admin.create(Node, { metadata: { name: 'n1' } });
    const body = { status: { allocatable: { cpu: '8', memory: '32Gi', pods: '110' } } };
    await admin.patch(Node, { name: 'n1' }, { type: 'merge', body }, { subresource: 'status' });
    await clusters.get(name)?.addNamespaces('default');
  }
  return {
    ...plane,
    join: (name: string) =>
      plane.client.create(MemberCluster, { metadata: { name }, spec: { syncMode: 'Push' } }),
    member: (name: string): SimulatedMember => {
      const member = clusters.get(name);
      if (member === undefined) throw new Error(`there is no member ${name}`);
      return member;
    },
    [Symbol.asyncDispose]: async () => {
      await views[Symbol.asyncDispose]();
      await plane[Symbol.asyncDispose]();
    },
  };
};

const LOST_FOR_A_MINUTE = {
  metadata: { name: 'lost' },
  spec: {
    addOnConditions: [
      { conditionType: 'Ready', operator: 'NotIn', statusValues: ['True'], forSeconds: 60 },
    ],
    removeOnConditions: [{ conditionType: 'Ready', operator: 'In', statusValues: ['True'] }],
    taints: [{ key: 'example.com/lost', effect: 'NoExecute' }],
  },
} as const;

/** Writes the status that the controllers of a member would report. */
const becomeHealthy = async (admin: Client) => {
  const ref = { namespace: 'default', name: 'web' };
  const { metadata } = await admin.get(Deployment, ref);
  const status = {
    observedGeneration: metadata.generation,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
  };
  const options = { subresource: 'status' };
  await admin.patch(Deployment, ref, { type: 'merge', body: { status } }, options);
};

it('work moves from a cluster that is lost for a minute, is cleaned up behind, and stays where it went', async () => {
  await using world = await startWorld();
  const { client, clock, member, join } = world;
  await join('m1');
  await clock.advance(30_000);
  await client.create(Deployment, deployment('web'));
  await addBinding(client, 'ResourceBinding', 'web', {
    placement: {
      replicaScheduling: {
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Aggregated',
      },
    },
    spec: {
      replicaRequirements: { resourceRequest: { cpu: '1' } },
      clusters: [],
      conflictResolution: 'Abort',
    },
  });
  await clock.advance(5000);
  const where = () => whereabouts(client, 'ResourceBinding', 'web');
  assert.equal(await where(), 'm1:2 |');
  await becomeHealthy(member('m1').admin);
  await join('m2');
  await client.create(ClusterTaintPolicy, LOST_FOR_A_MINUTE);
  await clock.advance(30_000);

  const taints = async () => {
    const { spec } = await client.get(MemberCluster, { name: 'm1' });
    return (spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
  };
  member('m1').connection = 'cut';
  await clock.advance(60_000);
  assert.deepEqual(await taints(), ['cluster.karmada.io/not-ready:NoSchedule']);
  assert.equal(await where(), 'm1:2 |');

  await clock.advance(60_000);
  assert.deepEqual(await taints(), [
    'cluster.karmada.io/not-ready:NoSchedule',
    'example.com/lost:NoExecute',
  ]);
  assert.equal(await where(), 'm2:2 | m1');
  assert.ok(await member('m2').find(Deployment, 'web'));

  await becomeHealthy(member('m2').admin);
  await clock.advance(10_000);
  assert.equal(await where(), 'm2:2 |');
  assert.ok(await member('m1').find(Deployment, 'web'));

  member('m1').connection = 'fine';
  await clock.advance(120_000);
  assert.equal(await member('m1').find(Deployment, 'web'), undefined);
  assert.deepEqual(await taints(), []);
  assert.equal(await where(), 'm2:2 |', 'nothing comes back by itself');
});
