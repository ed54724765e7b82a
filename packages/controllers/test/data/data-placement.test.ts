import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { claimControllers, claimedWorld } from './claimed-world.ts';

const JOBS = { groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] };
const APPS = { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] };

describe('work that claims data', () => {
  let plane: Awaited<ReturnType<typeof startControlPlane>>;
  let spaces = 0;

  before(async () => {
    plane = await startControlPlane({ controllers: claimControllers });
    for (const name of ['c1', 'c2', 'c3']) await addCluster(name);
  });
  after(() => plane[Symbol.asyncDispose]());

  const addCluster = async (name: string) => {
    await addReadyCluster(plane.client, name);
    const body = { status: { apiEnablements: [APPS, JOBS] } };
    await plane.client.patch(
      MemberCluster,
      { name },
      { type: 'merge', body },
      { subresource: 'status' },
    );
  };

  /** A namespace of its own, and data whose names nobody else uses. */
  const world = async () => {
    spaces += 1;
    const namespace = `space-${spaces}`;
    await plane.client.create(Namespace, { metadata: { name: namespace } });
    const made = claimedWorld(plane.client, namespace);
    await made.policy();
    const told = async (name: string, kind?: string) => {
      await plane.settled();
      return made.told(name, kind);
    };
    return { ...made, told, namespace, data: (name: string) => `${namespace}.${name}` };
  };

  it('goes where the data is, and waits for nothing that is there', async () => {
    const { source, claim, deployment, told, binding, data } = await world();
    await source(data('sales'), ['c1', 'c2']);
    await claim('sales', data('sales'), 'web');
    await plane.settled();
    await deployment('web');
    assert.equal(await told('web'), 'c1 c2 | Admitted | Success');
    const { metadata, spec } = (await binding('web')) ?? {};
    assert.equal(metadata?.annotations?.['datadependency.volcano.sh/placement-injected'], 'true');
    assert.deepEqual(spec?.placement?.clusterAffinity, { clusterNames: ['c1', 'c2'] });
  });

  it('comes to the same end in whatever order claim, source and work come', async () => {
    const orders = [
      ['work', 'claim', 'source'],
      ['work', 'source', 'claim'],
      ['claim', 'work', 'source'],
      ['claim', 'source', 'work'],
      ['source', 'work', 'claim'],
      ['source', 'claim', 'work'],
    ] as const;
    for (const order of orders) {
      const { source, claim, deployment, told, data } = await world();
      for (const step of order) {
        if (step === 'work') await deployment('web');
        if (step === 'claim') await claim('sales', data('sales'), 'web');
        if (step === 'source') await source(data('sales'), ['c2']);
        await plane.settled();
      }
      assert.equal(await told('web'), 'c2 | Admitted | Success', order.join(', '));
    }
  });

  it('is held from the very first version of its binding until its data is there', async () => {
    const { source, claim, deployment, told, binding, data, namespace } = await world();
    await claim('sales', data('sales'), 'web');
    await deployment('web');
    assert.equal(await told('web'), 'nowhere | WaitingForData held | -');
    const { metadata, status } = (await binding('web')) ?? {};
    assert.equal(metadata?.generation, 1, 'held by the write that made it');
    assert.equal(
      findCondition(status?.conditions, 'Admitted')?.message,
      `waits for hive table ${namespace}.sales (claim sales)`,
    );
    await source(data('sales'), ['c3']);
    assert.equal(await told('web'), 'c3 | Admitted | Success');
    assert.equal((await binding('web'))?.spec.suspension, undefined);
  });

  it('waits until all of its claims have their data, and goes where all of it is', async () => {
    const { source, claim, deployment, told, data } = await world();
    await claim('one', data('one'), 'web');
    await claim('two', data('two'), 'web');
    await deployment('web');
    await source(data('one'), ['c1', 'c2']);
    assert.equal(await told('web'), 'nowhere | WaitingForData held | -');
    await source(data('two'), ['c2', 'c3']);
    assert.equal(await told('web'), 'c2 | Admitted | Success');
  });

  it('is never disturbed by a policy, a template, or a look that changes nothing', async () => {
    const { source, claim, deployment, told, edit, policy, binding, data } = await world();
    await source(data('sales'), ['c1', 'c2']);
    await claim('sales', data('sales'), 'web');
    await deployment('web');
    await told('web');
    await edit('web', { spec: { replicas: 6 } });
    assert.equal(await told('web'), 'c1 c2 | Admitted | Success');
    await edit('web', { metadata: { labels: { more: 'words' } } });
    assert.equal(await told('web'), 'c1 c2 | Admitted | Success');
    await policy({ clusterAffinity: { clusterNames: ['c2', 'c3'] } });
    assert.equal(await told('web'), 'c2 | Admitted | Success');
    await policy({
      clusterAffinities: [
        { affinityName: 'none', clusterNames: ['c3'] },
        { affinityName: 'some', clusterNames: ['c1', 'c3'] },
      ],
    });
    assert.equal(await told('web'), 'c1 | Admitted | Success');
    await policy();
    assert.equal(
      await told('web'),
      'c1 | Admitted | Success',
      'divided work stays where it may be',
    );
    const seen = await binding('web');
    await plane.clock.advance(600_000);
    assert.deepEqual(await binding('web'), seen);
  });

  it('follows the data that comes to more clusters, and to fewer', async () => {
    const { source, claim, deployment, told, data } = await world();
    await source(data('sales'), ['c1']);
    await claim('sales', data('sales'), 'web');
    await deployment('web');
    assert.equal(await told('web'), 'c1 | Admitted | Success');
    await source(data('sales'), ['c1', 'c2']);
    await told('web');
    await source(data('sales'), ['c2']);
    assert.equal(await told('web'), 'c2 | Admitted | Success');
  });

  it('follows clusters that join and change their labels', async () => {
    const { source, claim, deployment, told, data } = await world();
    const clusterAffinity = { labelSelector: { matchLabels: { [data('disk')]: 'fast' } } };
    await source(data('sales'), [], { locality: { clusterNames: null, clusterAffinity } });
    await claim('sales', data('sales'), 'web');
    await deployment('web');
    assert.equal(await told('web'), 'nowhere | Admitted | Unschedulable');
    const label = (disk: string | null) =>
      plane.client.patch(
        MemberCluster,
        { name: 'c3' },
        { type: 'merge', body: { metadata: { labels: { [data('disk')]: disk } } } },
      );
    await label('fast');
    assert.equal(await told('web'), 'c3 | Admitted | Success');
    await label(null);
    assert.equal(
      await told('web'),
      'c3 | Admitted | Unschedulable',
      'it stays until it has somewhere to go',
    );
  });

  it('says that nothing is left when two claims, or claim and policy, have no cluster in common', async () => {
    const { source, claim, deployment, told, policy, binding, data, namespace } = await world();
    const message = async () =>
      findCondition((await binding('web'))?.status?.conditions, 'Scheduled')?.message;
    await source(data('one'), ['c1']);
    await source(data('two'), ['c2']);
    await claim('one', data('one'), 'web');
    await claim('two', data('two'), 'web');
    await deployment('web');
    assert.equal(await told('web'), 'nowhere | Admitted | Unschedulable');
    assert.equal(
      await message(),
      `0/3 clusters are available: 3 cluster(s) did not have the data: hive table ${namespace}.one, hive table ${namespace}.two.`,
    );
    await source(data('two'), ['c1', 'c2']);
    assert.equal(await told('web'), 'c1 | Admitted | Success');
    await policy({ clusterAffinity: { clusterNames: ['c3'] } });
    assert.equal(await told('web'), 'c1 | Admitted | Unschedulable');
    assert.match(
      (await message()) ?? '',
      /: 1 cluster\(s\) did not have the data: .*, 2 cluster\(s\) did not match/,
    );
  });

  it('leaves its old copy until the new one is healthy, and moves only what must move', async () => {
    const { source, claim, deployment, told, binding, data } = await world();
    await source(data('sales'), ['c1', 'c2']);
    await claim('sales', data('sales'), 'web');
    await deployment('web', 4);
    assert.equal(await told('web'), 'c1 c2 | Admitted | Success');
    const inC2 = async () =>
      (await binding('web'))?.spec.clusters?.find(({ name }) => name === 'c2')?.replicas ?? 0;
    const before = await inC2();
    await source(data('sales'), ['c2', 'c3']);
    assert.equal(await told('web'), 'c2 c3 | Admitted | Success');
    assert.ok((await inC2()) >= before, 'those that may stay do');
    const { gracefulEvictionTasks = [] } = (await binding('web'))?.spec ?? {};
    assert.deepEqual(
      gracefulEvictionTasks.map(({ fromCluster, reason, purgeMode, replicas }) => [
        fromCluster,
        reason,
        purgeMode,
        replicas,
      ]),
      [['c1', 'DataNotThere', 'Gracefully', 4 - before]],
    );
  });

  it('keeps its old copy when the data comes back before that is gone', async () => {
    const { source, claim, deployment, told, binding, data } = await world();
    await source(data('sales'), ['c1']);
    await claim('sales', data('sales'), 'web');
    await deployment('web', 4);
    assert.equal(await told('web'), 'c1 | Admitted | Success');
    const leaves = async () =>
      ((await binding('web'))?.spec.gracefulEvictionTasks ?? []).map((task) => task.fromCluster);
    await source(data('sales'), ['c2']);
    assert.equal(await told('web'), 'c2 | Admitted | Success');
    assert.deepEqual(await leaves(), ['c1']);
    await source(data('sales'), ['c1']);
    assert.equal(await told('web'), 'c1 | Admitted | Success');
    assert.deepEqual(await leaves(), ['c2']);
  });

  it('stays where it runs while its data is gone, and is held', async () => {
    const { source, noSource, claim, deployment, told, edit, data } = await world();
    await source(data('sales'), ['c1']);
    await claim('sales', data('sales'), 'web');
    await deployment('web');
    await told('web');
    await noSource(data('sales'));
    assert.equal(await told('web'), 'c1 | WaitingForData held | Success');
    await edit('web', { spec: { replicas: 9 } });
    assert.equal(await told('web'), 'c1 | WaitingForData held | Success');
    await source(data('sales'), ['c2']);
    assert.equal(await told('web'), 'c2 | Admitted | Success');
  });

  it('does not go to a cluster that joins without the data (upstream, 6: a list of exclusions lets it in)', async () => {
    const { source, claim, deployment, told, data } = await world();
    await source(data('sales'), ['c2']);
    await claim('sales', data('sales'), 'web');
    await deployment('web');
    await told('web');
    await addCluster('c8');
    assert.equal(await told('web'), 'c2 | Admitted | Success');
    await source(data('sales'), ['c8']);
    assert.equal(await told('web'), 'c8 | Admitted | Success');
    await plane.client.delete(MemberCluster, { name: 'c8' });
  });

  it('is free again when its claim turns to other work (upstream, 11: it stays constrained for ever)', async () => {
    const { source, claim, editClaim, deployment, told, binding, data } = await world();
    await source(data('sales'), ['c2']);
    await claim('sales', data('sales'), 'web');
    await deployment('web');
    await deployment('other');
    assert.equal(await told('web'), 'c2 | Admitted | Success');
    await editClaim('sales', { workload: { name: 'other' } });
    assert.equal(await told('other'), 'c2 | Admitted | Success');
    assert.equal((await binding('web'))?.spec.placement?.clusterAffinity, undefined);
  });

  it('is the policy’s alone again when its claims are gone', async () => {
    const { source, claim, noClaim, deployment, told, binding, data } = await world();
    await claim('one', data('one'), 'web');
    await claim('two', data('two'), 'web');
    await deployment('web');
    await source(data('one'), ['c1']);
    assert.equal(await told('web'), 'nowhere | WaitingForData held | -');
    await noClaim('two');
    assert.equal(await told('web'), 'c1 | Admitted | Success');
    await noClaim('one');
    await plane.settled();
    const { metadata, spec } = (await binding('web')) ?? {};
    assert.equal(spec?.placement?.clusterAffinity, undefined);
    assert.deepEqual(
      Object.keys(metadata?.annotations ?? {}).filter((key) => /data|base/.test(key)),
      [],
    );
  });

  it('stays where it runs, when the claim that comes later says so, and where it has started', async () => {
    const { source, claim, deployment, job, told, policy, editClaim, data } = await world();
    await policy({ clusterAffinity: { clusterNames: ['c1', 'c2'] } });
    await deployment('web');
    await job('batch');
    assert.equal(await told('web'), 'c1 c2 | - | Success');
    const before = await told('batch', 'job');
    await source(data('sales'), ['c2']);
    await claim('sales', data('sales'), 'web', { onRunning: 'Keep' });
    const workload = { apiVersion: 'batch/v1', kind: 'Job', name: 'batch' };
    await claim('batch', data('sales'), 'batch', { workload });
    assert.equal(await told('web'), 'c1 c2 | Admitted | Success');
    assert.equal(await told('batch', 'job'), before.replace('-', 'Admitted'));
    await editClaim('sales', { onRunning: 'Move' });
    await editClaim('batch', { onRunning: 'Move' });
    assert.equal(await told('web'), 'c2 | Admitted | Success');
    assert.equal(await told('batch', 'job'), 'c2 | Admitted | Success');
  });

  it('is selected by labels, which may change, and only in the namespace of the claim', async () => {
    const { source, claim, deployment, edit, told, binding, data } = await world();
    const other = await world();
    await source(data('sales'), ['c3']);
    const workloadSelector = { matchLabels: { needs: 'sales' } };
    await claim('sales', data('sales'), '', { workloadSelector });
    for (const one of ['a', 'b']) await deployment(one, 3, { needs: 'sales' });
    await deployment('c');
    await other.deployment('d', 3, { needs: 'sales' });
    assert.equal(await told('a'), 'c3 | Admitted | Success');
    assert.equal(await told('b'), 'c3 | Admitted | Success');
    assert.equal(await told('c'), 'c1 c2 c3 | - | Success');
    assert.equal(await other.told('d'), 'c1 c2 c3 | - | Success');
    await edit('c', { metadata: { labels: { needs: 'sales' } } });
    assert.equal(await told('c'), 'c3 | Admitted | Success');
    await edit('a', { metadata: { labels: { needs: null } } });
    await plane.settled();
    const { spec } = (await binding('a')) ?? {};
    assert.equal(spec?.placement?.clusterAffinity, undefined);
  });

  it('is not let through when a user has suspended it', async () => {
    const { source, claim, deployment, told, binding, data, namespace } = await world();
    await deployment('web');
    await told('web');
    const suspend = (scheduling: boolean | null) =>
      plane.client.patch(
        ResourceBinding,
        { namespace, name: 'web-deployment' },
        { type: 'merge', body: { spec: { suspension: { scheduling } } } },
      );
    await suspend(true);
    await claim('sales', data('sales'), 'web');
    await source(data('sales'), ['c2']);
    assert.equal(await told('web'), 'c1 c2 c3 | Admitted held | Success');
    await suspend(null);
    assert.equal(await told('web'), 'c2 | Admitted | Success');
    assert.equal(
      (await binding('web'))?.metadata.annotations?.['policy.perigee.io/held-for'],
      undefined,
    );
  });

  it('passes without a further write when no claim concerns it', async () => {
    const { claim, deployment, told, binding, data } = await world();
    await claim('other', data('sales'), 'somebody-else');
    await deployment('web');
    assert.equal(await told('web'), 'c1 c2 c3 | - | Success');
    const { metadata } = (await binding('web')) ?? {};
    assert.equal(metadata?.generation, 2, 'made, and scheduled');
    assert.deepEqual(
      [...new Set((metadata?.managedFields ?? []).map(({ manager }) => manager))].sort(),
      ['perigee-detector', 'perigee-scheduler'],
    );
  });
});
