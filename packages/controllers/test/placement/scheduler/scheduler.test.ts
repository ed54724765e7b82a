import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Event } from '@perigee/kubernetes/core/event';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { startControlPlane } from '../../support/control-plane.ts';

const addCluster = async (
  client: Client,
  name: string,
  { labels = {}, cpu = '100' }: { labels?: { [key: string]: string }; cpu?: string } = {},
) => {
  await client.create(MemberCluster, { metadata: { name, labels }, spec: { syncMode: 'Push' } });
  const body = {
    status: {
      apiEnablements: [
        { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
      ],
      resourceSummary: { allocatable: { cpu, memory: '100Gi', pods: '110' } },
    },
  };
  await client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource: 'status' });
};

const ref = { namespace: 'default', name: 'web-deployment' };

const addBinding = (client: Client, spec: object, name = 'web') =>
  client.create(ResourceBinding, {
    metadata: {
      namespace: 'default',
      name: `${name}-deployment`,
      labels: { 'propagationpolicy.karmada.io/permanent-id': 'p' },
      annotations: {
        'propagationpolicy.karmada.io/namespace': 'default',
        'propagationpolicy.karmada.io/name': 'p',
      },
    },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name },
      replicas: 4,
      replicaRequirements: { resourceRequest: { cpu: '1' } },
      placement: {
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Weighted',
          weightPreference: { dynamicWeight: 'AvailableReplicas' },
        },
      },
      ...spec,
    } as never,
  });

const sharesOf = async (client: Client, of = ref) => {
  const { spec } = await client.get(ResourceBinding, of);
  return (spec.clusters ?? []).map(({ name, replicas }) => `${name}:${replicas ?? 0}`).join(' ');
};

const scheduledOf = async (client: Client) => {
  const { status } = await client.get(ResourceBinding, ref);
  const { status: value, reason, message } = findCondition(status?.conditions, 'Scheduled') ?? {};
  return { value, reason, message };
};

const start = () =>
  startControlPlane({ controllers: BINDING_KINDS.map((kind) => schedulerController(kind)) });

describe('the scheduler', () => {
  it('divides a binding over clusters and says so', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addCluster(client, 'm1');
    await addCluster(client, 'm2');
    await addBinding(client, {});
    await settled();
    assert.equal(await sharesOf(client), 'm1:2 m2:2');
    const { status, metadata } = await client.get(ResourceBinding, ref);
    assert.equal(status?.schedulerObservedGeneration, metadata.generation);
    assert.equal(status?.lastScheduledTime, '2026-01-01T00:00:00Z');
    assert.deepEqual(await scheduledOf(client), {
      value: 'True',
      reason: 'Success',
      message: 'Binding has been scheduled successfully.',
    });
    await plane.clock.advance(5000);
    const { items } = await client.list(Event, { namespace: 'default' });
    const told = items.filter(({ reason }) => reason === 'ScheduleBindingSucceed');
    assert.deepEqual(
      told.map(({ involvedObject }) => involvedObject.kind),
      ['Deployment'],
    );
    assert.match(told[0]?.message ?? '', /Result: \{m1:2, m2:2\}/);
  });

  it('writes a binding once and its status once', async () => {
    const clock = new VirtualClock();
    const logger = createLogger({ clock, level: 'error' });
    await using server = await startEmbeddedServer({ clock, logger, listener: 'none' });
    const writes: string[] = [];
    const client = new Proxy(server.client, {
      get: (target, verb: keyof Client) => {
        const call = target[verb] as (...args: readonly unknown[]) => unknown;
        return (...args: [unknown, unknown, unknown, { readonly subresource?: string }]) => {
          if (verb === 'patch' || verb === 'get') writes.push(args[3]?.subresource ?? verb);
          return call.apply(target, args);
        };
      },
    });
    await addCluster(server.client, 'm1');
    await addBinding(server.client, {});
    const controllers = BINDING_KINDS.map((kind) => schedulerController(kind));
    await using manager = new Manager({ client, clock, logger, controllers });
    await manager.start();
    await clock.advance(0);
    assert.equal(await sharesOf(server.client), 'm1:4');
    assert.deepEqual(writes, ['patch', 'status']);
  });

  it('writes nothing more once it has decided', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addCluster(client, 'm1');
    await addBinding(client, {
      placement: { replicaScheduling: { replicaSchedulingType: 'Duplicated' } },
    });
    await settled();
    const { metadata } = await client.get(ResourceBinding, ref);
    await plane.clock.advance(3_600_000);
    const later = await client.get(ResourceBinding, ref);
    assert.equal(later.metadata.resourceVersion, metadata.resourceVersion);
  });

  it('scales what is there and leaves it where it is', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addCluster(client, 'm1');
    await addBinding(client, {});
    await settled();
    await addCluster(client, 'm2');
    await settled();
    assert.equal(await sharesOf(client), 'm1:4');
    await client.patch(ResourceBinding, ref, { type: 'merge', body: { spec: { replicas: 8 } } });
    await settled();
    assert.equal(await sharesOf(client), 'm1:6 m2:2');
  });

  it('schedules afresh when asked, also within the second of the last schedule and by another clock', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addCluster(client, 'm1');
    await addBinding(client, {});
    await settled();
    await addCluster(client, 'm2');
    const ask = async (at: string) => {
      const body = { spec: { rescheduleTriggeredAt: at } };
      await client.patch(ResourceBinding, ref, { type: 'merge', body });
      await settled();
      const { status } = await client.get(ResourceBinding, ref);
      return status?.lastScheduledTime;
    };
    assert.equal(await ask('2026-01-01T00:00:00Z'), '2026-01-01T00:00:00Z');
    assert.equal(await sharesOf(client), 'm1:4');
    assert.equal(await ask('2026-01-01T00:00:01Z'), '2026-01-01T00:00:01Z');
    assert.equal(await sharesOf(client), 'm1:2 m2:2');
    await addCluster(client, 'm3');
    assert.equal(await ask('2026-01-01T05:00:00Z'), '2026-01-01T05:00:00Z');
    assert.equal(await sharesOf(client), 'm1:2 m2:1 m3:1');
  });

  it('schedules waiting work as soon as a cluster fits', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addBinding(client, {
      placement: {
        clusterAffinity: { labelSelector: { matchLabels: { tier: 'gold' } } },
        replicaScheduling: { replicaSchedulingType: 'Duplicated' },
      },
    });
    await addCluster(client, 'm1');
    await settled();
    assert.deepEqual(await scheduledOf(client), {
      value: 'False',
      reason: 'NoClusterFit',
      message:
        '0/1 clusters are available: 1 cluster(s) did not match the placement cluster affinity constraint.',
    });
    const body = { metadata: { labels: { tier: 'gold' } } };
    await client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body });
    await settled();
    assert.equal(await sharesOf(client), 'm1:4');
  });

  it('leaves running work where it is while no cluster fits, and says so', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addCluster(client, 'm1');
    await addCluster(client, 'm2');
    await addBinding(client, {});
    await settled();
    assert.equal(await sharesOf(client), 'm1:2 m2:2');
    const placeOn = async (...clusterNames: readonly string[]) => {
      const body = { spec: { placement: { clusterAffinity: { clusterNames } } } };
      await client.patch(ResourceBinding, ref, { type: 'merge', body });
      await settled();
    };
    await placeOn('nowhere');
    assert.equal((await scheduledOf(client)).reason, 'NoClusterFit');
    assert.equal(await sharesOf(client), 'm1:2 m2:2');
    await client.patch(ResourceBinding, ref, { type: 'merge', body: { spec: { replicas: 2 } } });
    await settled();
    assert.equal(await sharesOf(client), 'm1:1 m2:1');
    await placeOn('m2');
    assert.equal((await scheduledOf(client)).reason, 'Success');
    assert.equal(await sharesOf(client), 'm2:2');
  });

  it('does not say that work is scheduled elsewhere while it cannot leave for lack of its state', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    await addCluster(client, 'm1');
    const rules = [{ aliasLabelName: 'at', jsonPath: '{.at}' }];
    await addBinding(client, { failover: { cluster: { statePreservation: { rules } } } });
    await settled();
    const { status: before } = await client.get(ResourceBinding, ref);
    await addCluster(client, 'm2');
    const metadata = { finalizers: ['example.com/waits'] };
    await client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body: { metadata } });
    await client.delete(MemberCluster, { name: 'm1' });
    await clock.advance(30_000);
    assert.equal(await sharesOf(client), 'm1:4');
    const { status: after } = await client.get(ResourceBinding, ref);
    assert.equal(after?.lastScheduledTime, before?.lastScheduledTime);
    const { items } = await client.list(Event, { namespace: 'default' });
    assert.ok(items.some(({ reason }) => reason === 'EvictWorkloadFromClusterFailed'));
    assert.ok(!items.some(({ message }) => /Result: \{m2/.test(message ?? '')));
    const aggregatedStatus = [{ clusterName: 'm1', status: { at: 3 } }];
    const body = { status: { aggregatedStatus } };
    await client.patch(ResourceBinding, ref, { type: 'merge', body }, { subresource: 'status' });
    await clock.advance(60_000);
    assert.equal(await sharesOf(client), 'm2:4');
  });

  it('tells in an Event of its own sentence which terms refused clusters', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addCluster(client, 'm1');
    await addCluster(client, 'm2');
    const spreadConstraints = [{ spreadByField: 'cluster', minGroups: 2, maxGroups: 2 }];
    const placement = { clusterAffinity: { clusterNames: ['m1'] }, spreadConstraints };
    await addBinding(client, { placement });
    await settled();
    await plane.clock.advance(5000);
    const { items } = await client.list(Event, { namespace: 'default' });
    const event = items.find(({ reason }) => reason === 'ScheduleBindingFailed');
    assert.match(event?.message ?? '', /asks for at least 2\. Refused: 1 by clusterNames\.$/);
  });

  it('schedules work that lacks room as soon as there is room', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addCluster(client, 'm1', { cpu: '2' });
    await addBinding(client, {});
    await settled();
    assert.equal((await scheduledOf(client)).reason, 'Unschedulable');
    assert.match((await scheduledOf(client)).message ?? '', /replicas 2 are not enough/);
    const body = { status: { resourceSummary: { allocatable: { cpu: '9', pods: '110' } } } };
    const options = { subresource: 'status' };
    await client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body }, options);
    await settled();
    assert.equal(await sharesOf(client), 'm1:4');
  });

  it('leaves alone what is suspended, without a policy or for another scheduler', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addCluster(client, 'm1');
    await addBinding(client, { suspension: { scheduling: true } });
    await addBinding(client, { schedulerName: 'other' }, 'theirs');
    await settled();
    assert.equal(await sharesOf(client), '');
    const theirs = { namespace: 'default', name: 'theirs-deployment' };
    assert.equal(await sharesOf(client, theirs), '');
    const body = { spec: { suspension: { scheduling: false } } };
    await client.patch(ResourceBinding, ref, { type: 'merge', body });
    await settled();
    assert.equal(await sharesOf(client), 'm1:4');
  });

  it('tries the groups of clusters in order and remembers the one in use', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addCluster(client, 'm2');
    await addBinding(client, {
      placement: {
        clusterAffinities: [
          { affinityName: 'own', clusterNames: ['m1'] },
          { affinityName: 'cloud', clusterNames: ['m2'] },
        ],
        replicaScheduling: { replicaSchedulingType: 'Duplicated' },
      },
    });
    await settled();
    const { status } = await client.get(ResourceBinding, ref);
    assert.equal(status?.schedulerObservingAffinityName, 'cloud');
    assert.equal(await sharesOf(client), 'm2:4');
  });

  it('keeps members of a group apart that it decides at the same time', async () => {
    const clock = new VirtualClock();
    const logger = createLogger({ clock, level: 'error' });
    await using server = await startEmbeddedServer({ clock, logger, listener: 'none' });
    const { client } = server;
    const names = ['a', 'b', 'c'];
    for (const name of names) await addCluster(client, `m-${name}`);
    for (const name of names) {
      const spec = {
        workloadAffinityGroups: { antiAffinityGroup: 'g' },
        placement: {
          spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }],
          replicaScheduling: { replicaSchedulingType: 'Duplicated' },
        },
      };
      await addBinding(client, spec, name);
    }
    const controllers = BINDING_KINDS.map((kind) => schedulerController(kind));
    await using manager = new Manager({ client, clock, logger, controllers });
    await manager.start();
    await clock.advance(0);
    const shares = names.map((name) =>
      sharesOf(client, { namespace: 'default', name: `${name}-deployment` }),
    );
    assert.deepEqual((await Promise.all(shares)).sort(), ['m-a:4', 'm-b:4', 'm-c:4']);
  });
});
