import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ConditionType } from '@perigee/api/reasons/condition-reasons';
import { findCondition } from '@perigee/api/values/conditions';
import {
  type ClusterStatusOptions,
  clusterStatusController,
} from '@perigee/controllers/clusters/status/cluster-status-controller';
import { InProcessMembers } from '@perigee/controllers/members/member-clients';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Event } from '@perigee/kubernetes/core/event';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startControlPlane } from '../../support/control-plane.ts';
import { SimulatedMember } from '../../support/simulated-member.ts';

const FINALIZERS = ['karmada.io/cluster-controller'];

const start = async (options: Partial<ClusterStatusOptions> = {}) => {
  const clock = new VirtualClock();
  const member = new SimulatedMember('m1', clock);
  const found = new Map<string, Client>([['m1', member.client]]);
  const members = new InProcessMembers(({ metadata }) => found.get(metadata.name));
  const controllers = [clusterStatusController({ members, ...options })];
  const plane = await startControlPlane({ clock, controllers });
  const { client } = plane;
  const join = (name = 'm1', fields: object = {}) =>
    client.create(MemberCluster, {
      metadata: { name, finalizers: FINALIZERS },
      spec: { syncMode: 'Push' },
      ...fields,
    });
  const seen = async (name = 'm1') => client.get(MemberCluster, { name });
  const condition = async (type: ConditionType<'MemberCluster'> = 'Ready', name = 'm1') => {
    const { status } = await seen(name);
    const { status: value, reason } = findCondition(status?.conditions, type) ?? {};
    return `${value} ${reason}`;
  };
  return { ...plane, member, members, found, join, seen, condition };
};

const addNode = async (client: Client, name: string, cpu: string) => {
  await client.create(Node, { metadata: { name } });
  const status = {
    allocatable: { cpu, memory: '32Gi', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  const options = { subresource: 'status' };
  await client.patch(Node, { name }, { type: 'merge', body: { status } }, options);
};

const addPod = (client: Client, name: string, nodeName?: string) =>
  client.create(Pod, {
    metadata: { name, namespace: 'default' },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }],
    },
  } as never);

describe('the status of a cluster', () => {
  it('leaves out a pod and a node whose amounts cannot be read, and says so', async () => {
    await using world = await start();
    const { client, member, join, settled, seen, clock } = world;
    await member.addNamespaces('default');
    await addNode(member.admin, 'n1', '4');
    await addNode(member.admin, 'odd', '1e5000');
    await addPod(member.admin, 'a', 'n1');
    const resources = { requests: { cpu: '1e5000' } };
    await member.admin.create(Pod, {
      metadata: { name: 'odd', namespace: 'default' },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i', resources }] },
    } as never);
    await join();
    await settled();
    await clock.advance(20_000);
    const { status } = await seen();
    assert.deepEqual(status?.resourceSummary?.allocatable?.cpu, '4');
    assert.deepEqual(status?.resourceSummary?.allocated?.cpu, '1');
    assert.equal(status?.nodeSummary?.totalNum, 1);
    const { items } = await client.list(Event);
    const told = items.find(({ reason }) => reason === 'NotCounted');
    assert.match(told?.message ?? '', /(pod|node) .*odd is not counted: .*exponent/);
  });

  it('says what the member is, serves and has', async () => {
    await using world = await start();
    const { member, join, settled, seen, condition } = world;
    await member.addNamespaces('default');
    await addNode(member.admin, 'n1', '4');
    await addNode(member.admin, 'n2', '16');
    await addPod(member.admin, 'a', 'n1');
    await addPod(member.admin, 'b');
    await join();
    await settled();
    const { status } = await seen();
    assert.equal(await condition(), 'True ClusterReady');
    assert.equal(await condition('CompleteAPIEnablements'), 'True Complete');
    assert.match(status?.kubernetesVersion ?? '', /^v1\./);
    const apps = status?.apiEnablements?.find(({ groupVersion }) => groupVersion === 'apps/v1');
    assert.ok(apps?.resources?.some(({ kind }) => kind === 'Deployment'));
    assert.deepEqual(status?.nodeSummary, { totalNum: 2, readyNum: 2 });
    const { allocatable, allocated, allocating, allocatableModelings } =
      status?.resourceSummary ?? {};
    assert.deepEqual(allocatable, { cpu: '20', memory: '64Gi', pods: '220' });
    assert.deepEqual(allocated, { cpu: '1', pods: '1' });
    assert.deepEqual(allocating, { cpu: '1', pods: '1' });
    assert.deepEqual(
      allocatableModelings?.filter(({ count }) => count > 0),
      [
        { grade: 2, count: 1 },
        { grade: 3, count: 1 },
      ],
    );
  });

  it('follows pods without listing them again', async () => {
    await using world = await start();
    const { member, join, clock, seen } = world;
    await member.addNamespaces('default');
    await addNode(member.admin, 'n1', '4');
    await join();
    await clock.advance(30_000);
    const lists = () => member.requests.filter((request) => request === 'list pods').length;
    const before = lists();
    await addPod(member.admin, 'a', 'n1');
    await clock.advance(11_000);
    assert.equal((await seen()).status?.resourceSummary?.allocated?.cpu, '1');
    await member.admin.delete(Pod, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
    await clock.advance(11_000);
    assert.deepEqual((await seen()).status?.resourceSummary?.allocated ?? {}, {});
    assert.equal(lists(), before);
  });

  it('is written only when there is something new', async () => {
    await using world = await start();
    const { join, clock, seen } = world;
    await join();
    await clock.advance(30_000);
    const { metadata } = await seen();
    await clock.advance(600_000);
    assert.equal((await seen()).metadata.resourceVersion, metadata.resourceVersion);
  });

  it('is written at most once in a period', async () => {
    await using world = await start();
    const { member, client, join, clock } = world;
    await member.addNamespaces('default');
    await join();
    await clock.advance(30_000);
    const versions = new Set<string>();
    for (let second = 0; second < 60; second += 1) {
      await addPod(member.admin, `p${second}`);
      await clock.advance(1000);
      versions.add((await client.get(MemberCluster, { name: 'm1' })).metadata.resourceVersion);
    }
    assert.ok(versions.size <= 8, `${versions.size} states within a minute`);
    assert.ok(versions.size >= 6);
  });

  for (const connection of ['cut', 'hangs'] as const) {
    it(`turns not ready when the connection ${connection} for long enough, and back`, async () => {
      await using world = await start();
      const { member, join, clock, condition } = world;
      await join();
      await clock.advance(60_000);
      member.connection = connection;
      await clock.advance(29_000);
      assert.equal(await condition(), 'True ClusterReady');
      await clock.advance(35_000);
      assert.equal(await condition(), 'False ClusterNotReachable');
      member.connection = 'fine';
      await clock.advance(29_000);
      assert.equal(await condition(), 'False ClusterNotReachable');
      await clock.advance(25_000);
      assert.equal(await condition(), 'True ClusterReady');
    });
  }

  it('stays ready through a short break', async () => {
    await using world = await start();
    const { member, join, clock, seen, condition } = world;
    await join();
    await clock.advance(60_000);
    const { metadata } = await seen();
    for (let times = 0; times < 5; times += 1) {
      member.connection = 'cut';
      await clock.advance(20_000);
      member.connection = 'fine';
      await clock.advance(15_000);
    }
    assert.equal(await condition(), 'True ClusterReady');
    assert.equal((await seen()).metadata.resourceVersion, metadata.resourceVersion);
  });

  it('counts again what changed while the member was away', async () => {
    await using world = await start();
    const { member, join, clock, seen } = world;
    await addNode(member.admin, 'n1', '4');
    await join();
    await clock.advance(30_000);
    member.connection = 'cut';
    await clock.advance(120_000);
    await addNode(member.admin, 'n2', '4');
    member.connection = 'fine';
    await clock.advance(120_000);
    assert.equal((await seen()).status?.nodeSummary?.totalNum, 2);
  });

  it('says so when there is no way to the member, and looks when there is', async () => {
    await using world = await start();
    const { found, member, members, join, clock, settled, condition } = world;
    found.clear();
    await join();
    await settled();
    assert.equal(await condition(), 'False StatusCollectionFailed');
    found.set('m1', member.client);
    members.changed('m1');
    await settled();
    await clock.advance(45_000);
    assert.equal(await condition(), 'True ClusterReady');
  });

  it('keeps what it knew of APIs that cannot be found out', async () => {
    await using world = await start();
    const { found, member, members, join, clock, seen, condition } = world;
    await join();
    await clock.advance(30_000);
    const { status } = await seen();
    const failing: Partial<Client> = { discover: () => Promise.reject(new Error('no')) };
    found.set('m1', { ...passing(member.client), ...failing });
    members.changed('m1');
    await clock.advance(15_000);
    assert.equal(await condition('CompleteAPIEnablements'), 'False Empty');
    assert.deepEqual((await seen()).status?.apiEnablements, status?.apiEnablements);
    const partial: Partial<Client> = {
      discover: async (options) => {
        options?.onMissing?.('apps/v1');
        const all = await member.client.discover();
        return all.filter(({ group }) => group !== 'apps');
      },
    };
    found.set('m1', { ...passing(member.client), ...partial });
    members.changed('m1');
    await clock.advance(15_000);
    assert.equal(await condition('CompleteAPIEnablements'), 'False Partial');
    assert.deepEqual((await seen()).status?.apiEnablements, status?.apiEnablements);
  });

  it('is not ready when the member says so itself', async () => {
    await using world = await start();
    const { found, member, join, settled, condition } = world;
    found.set('m1', { ...passing(member.client), ready: async () => false });
    await join();
    await settled();
    assert.equal(await condition(), 'False ClusterNotReady');
  });

  it('is left to agents for clusters that are pulled from, and to nobody before the finalizer', async () => {
    await using world = await start();
    const { client, join, clock, seen, settled, condition } = world;
    await join('m2', { spec: { syncMode: 'Pull' } });
    await client.create(MemberCluster, { metadata: { name: 'm1' }, spec: { syncMode: 'Push' } });
    await clock.advance(30_000);
    assert.equal((await seen('m1')).status, undefined);
    assert.equal((await seen('m2')).status, undefined);
    const body = { metadata: { finalizers: FINALIZERS } };
    await client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body });
    await settled();
    assert.equal(await condition(), 'True ClusterReady');
  });

  it('ends its watches of the member with the cluster', async () => {
    await using world = await start();
    const { client, member, join, clock } = world;
    await join();
    await clock.advance(30_000);
    await client.patch(
      MemberCluster,
      { name: 'm1' },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    );
    await client.delete(MemberCluster, { name: 'm1' });
    await clock.advance(1000);
    const before = member.requests.length;
    await clock.advance(3_600_000);
    assert.equal(member.requests.length, before);
  });
});

/** The methods of a client as fields of a plain object. */
const passing = (client: Client): Client => ({
  get: (...args) => client.get(...args),
  list: (...args) => client.list(...args),
  watch: (...args) => client.watch(...args),
  create: (...args) => client.create(...args),
  update: (...args) => client.update(...args),
  patch: (...args) => client.patch(...args),
  delete: (...args) => client.delete(...args),
  deleteCollection: (...args) => client.deleteCollection(...args),
  discover: (...args) => client.discover(...args),
  version: (...args) => client.version(...args),
});
