import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { WorkloadRebalancer } from '@perigee/api/kinds/placement/workload-rebalancer';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { workloadRebalancerController } from '@perigee/controllers/placement/triggers/workload-rebalancer-controller';
import type { Client } from '@perigee/kube/client/client';
import { isNotFound } from '@perigee/kube/errors';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import {
  addBinding,
  addReadyCluster,
  bindingRef,
  KINDS,
  whereabouts,
} from '../../support/bindings.ts';
import { startControlPlane } from '../../support/control-plane.ts';
import { type Fate, unreliableClient } from '../../support/unreliable-client.ts';

const DIVIDED = {
  replicaScheduling: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Weighted',
    weightPreference: { dynamicWeight: 'AvailableReplicas' },
  },
} as const;

const deployment = (name: string, namespace = 'default') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name,
  ...(namespace === '' ? {} : { namespace }),
});

const start = async (reach: (client: Client) => Client = (client) => client) => {
  const plane = await startControlPlane({
    controllers: [
      ...BINDING_KINDS.map((kind) => schedulerController(kind)),
      workloadRebalancerController(),
    ],
    reach,
    isQuiet: true,
  });
  const { client, clock } = plane;
  await addReadyCluster(client, 'm1');
  await addReadyCluster(client, 'm2');
  const bind = (name: string) =>
    addBinding(client, 'ResourceBinding', `${name}-deployment`, {
      placement: DIVIDED,
      spec: {
        resource: deployment(name),
        replicas: 4,
        replicaRequirements: { resourceRequest: { cpu: '1' } },
        clusters: [{ name: 'm1', replicas: 4 }],
      },
    });
  const results = async (name: string) => {
    const { status } = await client.get(WorkloadRebalancer, { name });
    return (status?.observedWorkloads ?? []).map(({ workload, result, reason = '' }) =>
      `${workload.namespace ?? ''}/${workload.name} ${result} ${reason}`.trim(),
    );
  };
  return {
    ...plane,
    bind,
    results,
    rebalance: (name: string, workloads: readonly object[], spec: object = {}) =>
      client.create(WorkloadRebalancer, {
        metadata: { name },
        spec: { workloads, ...spec } as never,
      }),
    edit: (name: string, workloads: readonly object[]) =>
      client.patch(WorkloadRebalancer, { name }, { type: 'merge', body: { spec: { workloads } } }),
    where: (name: string) => whereabouts(client, 'ResourceBinding', `${name}-deployment`),
    triggeredAt: async (name: string) => {
      const ref = { namespace: 'default', name: `${name}-deployment` };
      return (await client.get(ResourceBinding, ref)).spec.rescheduleTriggeredAt;
    },
    settle: () => clock.advance(500),
  };
};

describe('a workload rebalancer', () => {
  it('has what it names scheduled afresh, and says of each resource what became of it', async () => {
    await using world = await start();
    const { bind, client, rebalance, results, settle, where, clock, edit } = world;
    for (const name of ['web', 'shop', 'late']) await bind(name);
    await addBinding(client, 'ClusterResourceBinding', 'reader-clusterrole', {
      spec: {
        resource: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          name: 'reader',
        },
      },
    });
    await settle();
    assert.equal(await where('web'), 'm1:4 |', 'divided work stays where it is');
    // The bindings were scheduled within this very second.
    const role = {
      ...deployment('reader', ''),
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
    };
    await rebalance('r', [deployment('web'), deployment('none'), deployment('web'), role]);
    await settle();
    assert.deepEqual(await results('r'), [
      'default/none Failed ReferencedBindingNotFound',
      'default/web Successful',
      '/reader Successful',
    ]);
    // The two replicas that leave m1 stay until the new ones are healthy.
    assert.equal(await where('web'), 'm1:2 m2:2 | m1');
    assert.equal(await where('shop'), 'm1:4 |');
    const { spec } = await client.get(
      KINDS.ClusterResourceBinding,
      bindingRef('ClusterResourceBinding', 'reader-clusterrole'),
    );
    assert.ok(spec.rescheduleTriggeredAt);
    const { status, metadata } = await client.get(WorkloadRebalancer, { name: 'r' });
    assert.equal(status?.observedGeneration, metadata.generation);
    assert.equal(status?.finishTime, '2026-01-01T00:00:00Z');

    // The new entry was scheduled after the creation of the rebalancer, and is scheduled again all the same.
    await clock.advance(60_000);
    await edit('r', [deployment('late')]);
    await settle();
    assert.deepEqual(await results('r'), [
      'default/late Successful',
      'default/web Successful',
      '/reader Successful',
    ]);
    assert.equal(await where('late'), 'm1:2 m2:2 | m1');
    const after = await client.get(WorkloadRebalancer, { name: 'r' });
    assert.equal(after.status?.finishTime, '2026-01-01T00:01:01Z');
    const again = await world.triggeredAt('web');
    await edit('r', [deployment('late'), deployment('web')]);
    await settle();
    assert.equal(await world.triggeredAt('web'), again);
  });

  it('goes when its time is over, if it has one', async () => {
    await using world = await start();
    const { bind, client, clock, rebalance, settle } = world;
    await bind('web');
    const isThere = (name: string) =>
      client.get(WorkloadRebalancer, { name }).then(
        () => true,
        (error) => !isNotFound(error),
      );
    await rebalance('at-once', [deployment('web')], { ttlSecondsAfterFinished: 0 });
    await rebalance('later', [deployment('none')], { ttlSecondsAfterFinished: 60 });
    await rebalance('never', [deployment('web')]);
    await settle();
    assert.equal(await isThere('at-once'), false);
    assert.ok(await world.triggeredAt('web'));
    await clock.advance(58_000);
    assert.equal(await isThere('later'), true);
    await clock.advance(2000);
    assert.equal(await isThere('later'), false);
    await clock.advance(600_000);
    assert.equal(await isThere('never'), true);
  });

  it('asks once for each resource, whatever answers get lost; and two that come together each ask', async () => {
    // Every third write is lost, and of every third the answer.
    let writes = 0;
    let isBroken = true;
    const fates: readonly Fate[] = [
      'lost',
      'done',
      'done unnoticed',
      'done',
      'done unnoticed',
      'lost',
      'done',
    ];
    const nextFate = () => (isBroken ? (fates[writes++ % fates.length] ?? 'done') : 'done');
    await using world = await start((client) => unreliableClient(client, nextFate));
    const { bind, client, rebalance, results, clock, settle } = world;
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await bind(name);
    await settle();
    const asked = new Set<string>();
    const stop = new AbortController();
    const watching = (async () => {
      for await (const { object } of client.watch(ResourceBinding, { signal: stop.signal })) {
        const { metadata, spec } = object as ResourceBinding;
        const { rescheduleTriggeredAt } = spec ?? {};
        if (rescheduleTriggeredAt) asked.add(`${metadata.name} ${rescheduleTriggeredAt}`);
      }
    })().catch(() => {});
    await Promise.all(
      ['r1', 'r2'].map((name) =>
        rebalance(
          name,
          names.map((one) => deployment(one)),
        ),
      ),
    );
    await clock.advance(600_000);
    isBroken = false;
    await clock.advance(600_000);
    for (const name of ['r1', 'r2']) {
      assert.deepEqual(
        await results(name),
        names.map((one) => `default/${one} Successful`),
      );
    }
    for (const name of names) assert.equal(await world.where(name), 'm1:2 m2:2 | m1');
    assert.equal(asked.size, 2 * names.length, [...asked].sort().join('\n'));
    stop.abort();
    await watching;
  });
});
