import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import { findCondition } from '@perigee/api/values/conditions';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { gangReportController } from '@perigee/controllers/groups/gang-report-controller';
import { memberGroupsController } from '@perigee/controllers/groups/member-groups-controller';
import { InProcessMembers } from '@perigee/controllers/members/member-clients';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ConnectionError } from '@perigee/kube/errors';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Job } from '@perigee/kubernetes/batch/job';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { gangStatusController } from '../../src/groups/gang-status-controller.ts';
import { startControlPlane } from '../support/control-plane.ts';

const namespace = 'default';

const registered = (name: string, annotations: { readonly [key: string]: string } = {}) =>
  ({ metadata: { name, annotations }, spec: { syncMode: 'Push' } }) as const;

test('the binding of a workload says where its pods wait for their gang, and for what', async () => {
  const clock = new VirtualClock();
  await using member = await startEmbeddedServer({ clock, listener: 'none' });
  const silent = { discover: () => Promise.reject(new ConnectionError('nobody answers')) };
  const members = new InProcessMembers(({ metadata }) =>
    metadata.name === 'member2' ? member.client : (silent as never),
  );
  const controllers = [gangStatusController({ members, clock })];
  await using plane = await startControlPlane({ clock, controllers });
  const { client } = plane;
  await client.create(MemberCluster, registered('member1'));
  await client.create(MemberCluster, registered('member2'));
  const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
  await client.create(ResourceBinding, {
    metadata: { namespace, name: 'web-deployment' },
    spec: { resource, replicas: 8, clusters: [{ name: 'member1' }, { name: 'member2' }] },
  });
  const gang = async () => {
    await clock.advance(2000);
    const { status } = await client.get(ResourceBinding, { namespace, name: 'web-deployment' });
    const { status: holds, reason, message } = findCondition(status?.conditions, 'Gang') ?? {};
    return holds && `${holds} ${reason} ${message}`;
  };
  assert.equal(await gang(), undefined);
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const { metadata: copy } = await member.client.create(Deployment, {
    metadata: { namespace, name: 'web' },
    spec: { selector: { matchLabels: labels }, template },
  });
  const ref = { namespace, name: 'podgroup-u' };
  const message = '0 of 3 pods have nodes, 3 are needed: 4 nvidia.com/gpu missing';
  const missing = {
    type: 'Unschedulable',
    status: 'True',
    reason: 'NotEnoughResources',
    message,
  } as const;
  await member.client.create(PodGroup, {
    metadata: {
      ...ref,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: copy.uid, controller: true },
      ],
    },
    spec: { minMember: 3 },
  });
  const setStatus = (status: object) =>
    member.client.patch(PodGroup, ref, { type: 'merge', body: { status } });
  await setStatus({ phase: 'Inqueue', conditions: [missing] });
  assert.equal(
    await gang(),
    'False GangsWait 3 of 3 pods wait for their gang in member2: 4 nvidia.com/gpu missing',
  );
  await setStatus({ phase: 'Running', running: 3, conditions: [] });
  assert.equal(
    await gang(),
    'True GangsStarted 1 groups of pods in 1 clusters have what they need',
  );
  await member.client.delete(PodGroup, ref);
  assert.equal(await gang(), undefined);
  assert.deepEqual(plane.troubles(), []);
});

test('the groups of what a workload makes are its own, and agents tell of members that they alone reach', async () => {
  const clock = new VirtualClock();
  await using near = await startEmbeddedServer({ clock, listener: 'none' });
  await using far = await startEmbeddedServer({ clock, listener: 'none' });
  const pushed = new InProcessMembers(({ metadata }) =>
    metadata.name === 'near' ? near.client : undefined,
  );
  const own = new InProcessMembers(({ metadata }) =>
    metadata.name === 'far' ? far.client : undefined,
  );
  await using plane = await startControlPlane({
    clock,
    controllers: [
      gangStatusController({ members: pushed, clock }),
      gangReportController({ members: own, clock, cluster: 'far' }),
    ],
  });
  const { client } = plane;
  await client.create(MemberCluster, registered('near'));
  await client.create(MemberCluster, { ...registered('far'), spec: { syncMode: 'Pull' } });
  const resource = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    namespace,
    name: 'flow',
  };
  await client.create(ResourceBinding, {
    metadata: { namespace, name: 'flow-workflow' },
    spec: { resource, replicas: 1, clusters: [{ name: 'near' }, { name: 'far' }] },
  });
  await client.create(Namespace, { metadata: { name: 'karmada-es-far' } });
  const manifest = {
    apiVersion: resource.apiVersion,
    kind: 'Workflow',
    metadata: { namespace, name: 'flow' },
  };
  await client.create(Work, {
    metadata: {
      namespace: 'karmada-es-far',
      name: 'flow',
      annotations: {
        'resourcebinding.karmada.io/namespace': namespace,
        'resourcebinding.karmada.io/name': 'flow-workflow',
      },
    },
    spec: { workload: { manifests: [manifest] } },
  } as never);
  /** As the controller of groups makes it for a Job of the Workflow. */
  const group = async (member: typeof near, name: string, message: string) => {
    const { metadata } = await member.client.create(Job, {
      metadata: { namespace, name },
      spec: {
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
      },
    } as never);
    await member.client.create(PodGroup, {
      metadata: {
        namespace,
        name,
        annotations: { 'groups.perigee.io/workload': 'argoproj.io/v1alpha1 Workflow flow' },
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name, uid: metadata.uid, controller: true },
        ],
      },
      spec: { minMember: 4 },
    });
    const condition = {
      type: 'Unschedulable',
      status: 'True',
      reason: 'NotEnoughResources',
      message,
    };
    const body = { status: { phase: 'Inqueue', conditions: [condition] } };
    await member.client.patch(PodGroup, { namespace, name }, { type: 'merge', body });
  };
  const told = async () => {
    await clock.advance(2000);
    const { status } = await client.get(ResourceBinding, { namespace, name: 'flow-workflow' });
    return findCondition(status?.conditions, 'Gang')?.message;
  };
  await group(near, 'one', '1 of 4 pods have nodes, 4 are needed: 2 cpu missing');
  assert.equal(await told(), '3 of 4 pods wait for their gang in near: 2 cpu missing');
  await group(far, 'two', '3/4 tasks in gang unschedulable: pod group is not ready, 3 Pending');
  assert.equal(
    await told(),
    '6 of 8 pods wait for their gang; 3 of 4 in near: 2 cpu missing; 3 of 4 in far: pod group is not ready, 3 Pending',
  );
  for (const [member, name] of [
    [near, 'one'],
    [far, 'two'],
  ] as const) {
    const body = { status: { phase: 'Running', running: 4, conditions: [] } };
    await member.client.patch(PodGroup, { namespace, name }, { type: 'merge', body });
  }
  assert.equal(await told(), '2 groups of pods in 2 clusters have what they need');
  assert.deepEqual(plane.troubles(), []);
});

test('groups are made in a member that asks for it, unless Volcano makes them there', async () => {
  const clock = new VirtualClock();
  await using member = await startEmbeddedServer({ clock, listener: 'none' });
  const members = new InProcessMembers(() => member.client);
  const controllers = [memberGroupsController({ members, clock })];
  await using plane = await startControlPlane({ clock, controllers });
  const { client } = plane;
  const name = 'vc-controller-manager';
  const lease = { namespace: 'volcano-system', name };
  await member.client.create(Namespace, { metadata: { name: 'volcano-system' } });
  const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: 'volcano', leaseDurationSeconds: 15, renewTime };
  await member.client.create(Lease, { metadata: lease, spec });
  const pod = { schedulerName: 'volcano', containers: [{ name: 'c', image: 'i' }] };
  await member.client.create(Pod, { metadata: { namespace, name: 'p' }, spec: pod });
  const groups = async () => (await member.client.list(PodGroup, { namespace })).items.length;
  await client.create(MemberCluster, registered('member1'));
  await clock.advance(5000);
  assert.equal(await groups(), 0, 'nobody asked');
  const annotations = { 'groups.perigee.io/pod-groups': 'enabled' };
  const cluster = { name: 'member1' };
  await client.patch(MemberCluster, cluster, {
    type: 'merge',
    body: { metadata: { annotations } },
  });
  await clock.advance(5000);
  assert.equal(await groups(), 0, 'Volcano makes them');
  const events = (await client.list(Event)).items.filter(
    ({ reason }) => reason === 'PodGroupsRefused',
  );
  assert.match(events[0]?.message ?? '', /^Volcano’s own controllers run there and make PodGroups/);
  const always = { metadata: { annotations: { 'groups.perigee.io/pod-groups': 'always' } } };
  await client.patch(MemberCluster, cluster, { type: 'merge', body: always });
  await clock.advance(5000);
  assert.equal(await groups(), 1, 'who asks knows better');
  const off = { metadata: { annotations: { 'groups.perigee.io/pod-groups': null } } };
  await client.patch(MemberCluster, cluster, { type: 'merge', body: off });
  await clock.advance(5000);
  await member.client.create(Pod, { metadata: { namespace, name: 'q' }, spec: pod });
  await clock.advance(60_000);
  assert.equal(await groups(), 1, 'nobody asks any more');
});
