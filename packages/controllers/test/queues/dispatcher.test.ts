import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { queueControllers, queuedWorld } from './queued-world.ts';

suite('the dispatcher', () => {
  let plane: Awaited<ReturnType<typeof startControlPlane>>;
  let world: ReturnType<typeof queuedWorld>;
  let spaces = 0;
  /** The name of a queue that only this test uses. */
  let q = '';

  before(async () => {
    plane = await startControlPlane({ controllers: queueControllers });
    for (const name of ['c1', 'c2']) await addReadyCluster(plane.client, name);
    await plane.settled();
  });
  after(() => plane[Symbol.asyncDispose]());

  beforeEach(async () => {
    spaces += 1;
    q = `q${spaces}`;
    const name = `space-${spaces}`;
    await plane.client.create(Namespace, { metadata: { name, labels: { team: q } } });
    world = queuedWorld(plane.client, name);
    await world.policy();
  });

  /** The state of work once all controllers are idle. */
  const told = async (...names: readonly string[]) => {
    await plane.clock.advance(2000);
    return Promise.all(names.map((name) => world.told(name)));
  };

  test('lets work through while its queue has room, and the next when that ends', async () => {
    await world.queue(q, { capability: { cpu: '2' } });
    for (const name of ['a', 'b', 'c']) {
      await world.job(name, { queue: q });
      await plane.settled();
    }
    assert.deepEqual(await told('a', 'b', 'c'), ['runs in 1', 'runs in 1', 'held WaitingForQuota']);
    assert.match(
      await world.message('c'),
      new RegExp(
        `^waits in the queue ${q}: it asks for cpu 1, cpu 1 more than is left of the capability of the queue ${q}, cpu 2; number 1 in line at `,
      ),
    );
    assert.equal(await world.status(q), 'Open 1 0 2 0 {"cpu":"2","pods":"2"}');
    await world.finish('a');
    assert.deepEqual(await told('a', 'b', 'c'), ['runs in 1', 'runs in 1', 'runs in 1']);
    assert.equal(await world.status(q), 'Open 0 0 2 1 {"cpu":"2","pods":"2"}');
    await world.finish('b', 'Failed');
    await world.remove('c');
    await told();
    assert.equal(await world.status(q), 'Open 0 0 0 2 {}');
  });

  test('lets work through at once, without a word about waiting', async () => {
    await world.queue(q);
    await world.job('a', { queue: q });
    await plane.settled();
    assert.equal(await world.told('a'), 'runs in 1');
    const { status, metadata, spec } = (await world.binding('a')) ?? {};
    assert.deepEqual(
      (status?.conditions ?? []).map(({ type }) => type),
      ['Scheduled'],
    );
    const { at: _, ...reserved } = JSON.parse(
      metadata?.annotations?.['policy.perigee.io/reserved'] ?? '{}',
    );
    assert.deepEqual(reserved, { clusters: { [spec?.clusters?.[0]?.name ?? '']: 1 } });
    assert.equal(metadata?.annotations?.['policy.perigee.io/held-for'], undefined);
  });

  test('says again that work is let through when a scheduler writes older conditions over it', async () => {
    await world.queue(q, { capability: { cpu: '1' } });
    await world.job('a', { queue: q });
    await world.job('b', { queue: q });
    assert.deepEqual(await told('a', 'b'), ['runs in 1', 'held WaitingForQuota']);
    const { namespace = '', name = '' } = (await world.binding('b'))?.metadata ?? {};
    const conditionsOf = async () => (await world.binding('b'))?.status?.conditions ?? [];
    const old = await conditionsOf();
    await world.finish('a');
    await told('b');
    const patch = { type: 'merge', body: { status: { conditions: old } } } as const;
    await plane.client.patch(ResourceBinding, { namespace, name }, patch, {
      subresource: 'status',
    });
    await told('b');
    const admitted = (await conditionsOf()).find(({ type }) => type === 'Admitted');
    assert.equal(admitted?.reason, 'Admitted');
  });

  test('writes nothing about work that is in no queue', async () => {
    await world.job('free');
    await plane.settled();
    const { metadata } = (await world.binding('free')) ?? {};
    const marks = Object.keys(metadata?.annotations ?? {}).filter((key) =>
      /queued|reserved|held-for/.test(key),
    );
    assert.deepEqual(marks, []);
    assert.deepEqual(
      [...new Set((metadata?.managedFields ?? []).map(({ manager }) => manager))].sort(),
      ['perigee-detector', 'perigee-scheduler'],
    );
  });

  test('lets small work pass big work, but not for ever', async () => {
    await world.queue(q, { capability: { cpu: '2' } });
    for (const name of ['a', 'b']) await world.job(name, { queue: q });
    await plane.settled();
    await world.job('big', { queue: q, cpu: '2' });
    await plane.settled();
    await world.finish('a');
    await world.job('small', { queue: q });
    assert.deepEqual(await told('big', 'small'), ['held WaitingForQuota', 'runs in 1']);
    await plane.clock.advance(300_000);
    await world.job('smaller', { queue: q });
    await plane.settled();
    await world.finish('b');
    assert.deepEqual(await told('big', 'smaller'), ['held WaitingForQuota', 'held WaitingForTurn']);
    await world.finish('small');
    assert.deepEqual(await told('big'), ['runs in 1']);
  });

  test('goes by priority, then by age', async () => {
    await plane.client.create(PriorityClass, { metadata: { name: `high-${q}` }, value: 1000 });
    await world.queue(q, { capability: { cpu: '1' } });
    await world.job('first', { queue: q });
    await plane.settled();
    for (const name of ['old', 'young']) {
      await world.job(name, { queue: q });
      await plane.clock.advance(10);
    }
    await world.job('urgent', { queue: q, priorityClassName: `high-${q}` });
    await plane.settled();
    await world.finish('first');
    assert.deepEqual(await told('old', 'young', 'urgent'), [
      'held WaitingForQuota',
      'held WaitingForQuota',
      'runs in 1',
    ]);
    await world.finish('urgent');
    assert.deepEqual(await told('old', 'young'), ['runs in 1', 'held WaitingForQuota']);
  });

  test('counts every pod of every task, and once per cluster what is duplicated', async () => {
    const one = queuedWorld(plane.client, `one-${q}`);
    await plane.client.create(Namespace, { metadata: { name: `one-${q}` } });
    const spreadConstraints = [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }];
    await one.policy({ replicaSchedulingType: 'Duplicated' }, { spreadConstraints });
    const { editQueue } = world;
    await editQueue('default', { spec: { capability: { cpu: '7' } } });
    await one.volcanoJob('big', [
      [2, '1'],
      [4, '500m'],
    ]);
    await plane.clock.advance(2000);
    assert.equal(await one.told('big'), 'runs in 1');
    assert.match(await world.status('default'), /Open 0 0 1 \d+ \{"cpu":"4","pods":"6"\}/);
    await one.volcanoJob('second', [[4, '1']]);
    await plane.clock.advance(2000);
    assert.equal(await one.told('second'), 'held WaitingForQuota');
    assert.match(
      await one.message('second'),
      /it asks for cpu 4, cpu 1 more than is left of the capability of the queue default, cpu 7/,
    );
    await editQueue('default', { spec: { capability: null } });

    const twice = queuedWorld(plane.client, `twice-${q}`);
    await plane.client.create(Namespace, { metadata: { name: `twice-${q}` } });
    await twice.policy({ replicaSchedulingType: 'Duplicated' });
    await twice.queue(q, { capability: { cpu: '4' } });
    await twice.job('both', { queue: q, pods: 2 });
    await plane.clock.advance(2000);
    assert.equal(await twice.told('both'), 'runs in 2');
    assert.equal(await twice.status(q), 'Open 0 0 1 0 {"cpu":"4","pods":"4"}');
    await twice.job('more', { queue: q, pods: 1 });
    await plane.clock.advance(2000);
    assert.equal(await twice.told('more'), 'held WaitingForQuota');
  });

  test('follows scaling', async () => {
    await world.queue(q, { capability: { cpu: '5' } });
    await world.job('a', { queue: q, pods: 2 });
    await told();
    await world.edit('a', { spec: { parallelism: 4 } });
    await told();
    assert.equal(await world.status(q), 'Open 0 0 1 0 {"cpu":"4","pods":"4"}');
    await world.job('b', { queue: q, pods: 2 });
    assert.deepEqual(await told('b'), ['held WaitingForQuota']);
    await world.edit('b', { spec: { parallelism: 1 } });
    assert.deepEqual(await told('b'), ['runs in 1']);
  });

  test('says what is wrong with the queue that work names', async () => {
    await world.queue(q);
    await world.queue(`${q}-part`, { parent: q });
    await world.queue(`${q}-shut`, {}, { 'queue.perigee.io/closed': 'true' });
    await world.queue(`${q}-other`, {}, { 'queue.perigee.io/namespaces': 'team=other' });
    await world.queue(`${q}-own`, {}, { 'queue.perigee.io/namespaces': `team in (${q})` });
    await world.queue(`${q}-small`, { capability: { cpu: '1' } });
    const queues = ['nobody', q, `${q}-shut`, `${q}-other`, `${q}-own`, `${q}-part`];
    for (const queue of queues) await world.job(queue, { queue });
    await world.job('large', { queue: `${q}-small`, cpu: '2' });
    assert.deepEqual(await told(...queues, 'large'), [
      'held QueueUnusable',
      'held QueueUnusable',
      'held QueueClosed',
      'held QueueUnusable',
      'runs in 1',
      'runs in 1',
      'held NeverFits',
    ]);
    assert.equal(await world.message('nobody'), 'the queue nobody: there is no queue nobody');
    assert.equal(await world.message(q), `the queue ${q} has queues below it: name one of these`);
    assert.equal(
      await world.message(`${q}-other`),
      `its namespace may not use the queue ${q}-other`,
    );
    assert.match(
      await world.message('large'),
      /it asks for cpu 2, cpu 1 more than the whole capability of the queue \S+, cpu 1$/,
    );
    assert.match(await world.status(`${q}-shut`), /^Closed 1 0 0 0/);

    await world.editQueue(`${q}-shut`, {
      metadata: { annotations: { 'queue.perigee.io/closed': null } },
    });
    await world.editQueue(`${q}-other`, {
      metadata: { annotations: { 'queue.perigee.io/namespaces': null } },
    });
    await world.queue('nobody');
    assert.deepEqual(await told('nobody', `${q}-shut`, `${q}-other`), [
      'runs in 1',
      'runs in 1',
      'runs in 1',
    ]);
  });

  test('goes by what queues above say about namespaces, also when that changes', async () => {
    await world.queue(q, {}, { 'queue.perigee.io/namespaces': 'team=other' });
    await world.queue(`${q}-part`, { parent: q });
    await world.job('a', { queue: `${q}-part` });
    assert.deepEqual(await told('a'), ['held QueueUnusable']);
    await world.editQueue(q, {
      metadata: { annotations: { 'queue.perigee.io/namespaces': null } },
    });
    assert.deepEqual(await told('a'), ['runs in 1']);
  });

  test('closes a queue when its work has ended', async () => {
    await world.queue(q);
    await world.job('a', { queue: q });
    await told();
    await world.editQueue(q, { metadata: { annotations: { 'queue.perigee.io/closed': 'true' } } });
    await world.job('b', { queue: q });
    assert.deepEqual(await told('a', 'b'), ['runs in 1', 'held QueueClosed']);
    assert.match(await world.status(q), /^Closing 1 0 1 0/);
    await world.finish('a');
    await told();
    assert.match(await world.status(q), /^Closed 1 0 0 1/);
  });

  test('leaves work to its user that is suspended by one', async () => {
    const name = `unpropagated-${q}`;
    await plane.client.create(Namespace, { metadata: { name } });
    const bare = queuedWorld(plane.client, name);
    await bare.queue(q);
    await bare.job('a', { queue: q });
    const ref = { namespace: name, name: 'a-job' };
    await plane.client.create(ResourceBinding, {
      metadata: ref,
      spec: {
        resource: { apiVersion: 'batch/v1', kind: 'Job', namespace: name, name: 'a' },
        replicas: 1,
        placement: {},
        schedulerName: 'default-scheduler',
        suspension: { scheduling: true, dispatching: true },
      },
    } as never);
    await plane.clock.advance(2000);
    assert.equal(await bare.told('a'), 'held Suspended');
    const lift = { type: 'merge', body: { spec: { suspension: { scheduling: null } } } } as const;
    await plane.client.patch(ResourceBinding, ref, lift);
    await plane.clock.advance(2000);
    const { metadata, spec } = (await bare.binding('a')) ?? {};
    assert.deepEqual(spec?.suspension, { dispatching: true });
    const { clusters } = JSON.parse(metadata?.annotations?.['policy.perigee.io/reserved'] ?? '{}');
    assert.deepEqual(clusters, { c1: 1, c2: 1 });
  });

  test('is not deceived by marks on a workload, nor by who lifts the suspension', async () => {
    await world.queue(q, { capability: { cpu: '1' } });
    await world.job('a', { queue: q });
    await plane.settled();
    await world.job('b', { queue: q });
    const annotations = {
      'policy.perigee.io/reserved': '{"clusters":{"c1":1},"at":1}',
      'policy.perigee.io/queued': '{"queue":"default","since":0}',
    };
    await world.edit('b', { metadata: { annotations } });
    await plane.settled();
    const { metadata } = (await world.binding('b')) as ResourceBinding;
    const body = {
      metadata: { annotations: { 'policy.perigee.io/queued': null } },
      spec: { suspension: null },
    };
    await plane.client.patch(ResourceBinding, metadata, { type: 'merge', body });
    assert.deepEqual(await told('b'), ['held WaitingForQuota']);
    assert.equal(await world.status(q), 'Open 1 0 1 0 {"cpu":"1","pods":"1"}');
  });

  test('goes on after a restart from the objects alone', async () => {
    await world.queue(q, { capability: { cpu: '2' } });
    for (const name of ['a', 'b', 'c', 'd']) await world.job(name, { queue: q });
    const before = await told('a', 'b', 'c', 'd');
    assert.equal(before.filter((one) => one.startsWith('held')).length, 2);
    await plane.restart();
    assert.deepEqual(await told('a', 'b', 'c', 'd'), before);
    const [first = ''] = ['a', 'b', 'c', 'd'].filter((_, at) => !before[at]?.startsWith('held'));
    await world.finish(first);
    const after = await told('a', 'b', 'c', 'd');
    assert.equal(after.filter((one) => one.startsWith('held')).length, 1);
    assert.equal(await world.status(q), 'Open 1 0 2 1 {"cpu":"2","pods":"2"}');
  });

  test('takes back what it kept for work that no scheduler places', async () => {
    const namespace = `lost-${q}`;
    await plane.client.create(Namespace, { metadata: { name: namespace } });
    const lost = queuedWorld(plane.client, namespace);
    await lost.queue(q);
    await lost.job('a', { queue: q });
    await plane.client.create(ResourceBinding, {
      metadata: {
        namespace,
        name: 'a-job',
        labels: { 'binding.karmada.io/managed-by': 'test' },
        annotations: { 'policy.perigee.io/reserved': '{"clusters":{"gone":1}}' },
      },
      spec: {
        resource: { apiVersion: 'batch/v1', kind: 'Job', namespace, name: 'a' },
        replicas: 1,
        placement: { clusterAffinity: { clusterNames: ['gone'] } },
        schedulerName: 'default-scheduler',
      },
    } as never);
    await plane.clock.advance(5000);
    assert.equal(await lost.told('a'), 'runs in 0');
    assert.match(await lost.status(q), /^Open 0 1 0 0/);
    await plane.clock.advance(40_000);
    assert.equal(await lost.told('a'), 'held NeverFits');
    assert.match(await lost.status(q), /^Open 1 0 0 0/);
  });

  test('says no more often why work waits than it has to, however long the line', async () => {
    await world.queue(q, { capability: { cpu: '1' } });
    const names = Array.from({ length: 12 }, (_, at) => `j${at}`);
    for (const name of names) await world.job(name, { queue: q });
    await told();
    const versions = async () => {
      const bindings = await Promise.all(names.map((name) => world.binding(name)));
      return bindings.map((one) => one?.metadata.resourceVersion);
    };
    const before = await versions();
    const isThere = await Promise.all(names.map((name) => world.told(name)));
    const runs = names.find((_, at) => isThere[at] === 'runs in 1') ?? '';
    await world.finish(runs);
    await plane.clock.advance(60_000);
    const after = await versions();
    const written = names.filter((_, at) => before[at] !== after[at]);
    assert.equal(written.length, 2, 'the one that ended, and the one whose turn it was');
  });

  test('asks a server that is busy for one reason after the other, and for releases as ever', async () => {
    let underWay = 0;
    let most = 0;
    const clock = new VirtualClock();
    const reach = (client: Client): Client => {
      const patch: Client['patch'] = async (kind, ref, change, options) => {
        const { subresource, fieldManager } = options ?? {};
        const isReason = subresource === 'status' && fieldManager === 'perigee-dispatcher';
        if (!isReason) return client.patch(kind, ref, change, options);
        underWay += 1;
        most = Math.max(most, underWay);
        await clock.sleep(300);
        underWay -= 1;
        return client.patch(kind, ref, change, options);
      };
      return new Proxy(client, {
        get: (target, name: keyof Client) =>
          name === 'patch' ? patch : (target[name] as () => unknown).bind(target),
      });
    };
    await using slow = await startControlPlane({ controllers: queueControllers, clock, reach });
    await addReadyCluster(slow.client, 'c1');
    const there = queuedWorld(slow.client, 'default');
    await there.policy();
    await there.queue(q, { capability: { cpu: '1' } });
    const names = ['j0', 'j1', 'j2', 'j3'];
    for (const name of names) {
      await there.job(name, { queue: q });
      await slow.settled();
    }
    await clock.advance(1100);
    assert.equal(underWay, 1);
    await there.finish('j0');
    await slow.settled();
    assert.equal(await there.told('j1'), 'runs in 1');
    await clock.advance(2000);
    assert.equal(most, 1, 'reasons that were written at a time');
    assert.equal(await there.told('j3'), 'held WaitingForQuota');
  });

  test('lets through what fits where it may run, not what fits by the sum of all', async () => {
    // Without a scheduler, what was kept for work stays what it has.
    await using roomy = await startControlPlane({
      controllers: (parts) => queueControllers(parts).filter(({ name }) => name !== 'scheduler'),
    });
    for (const name of ['c1', 'c2']) await addReadyCluster(roomy.client, name);
    const here = queuedWorld(roomy.client);
    const spreadConstraints = [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }];
    await here.policy(undefined, { spreadConstraints });
    await here.queue('q');
    // All at once: each is promised a room of its own.
    const sizes = { a: '70', b: '70', c: '40', small: '20', huge: '101' };
    for (const [name, cpu] of Object.entries(sizes)) await here.job(name, { queue: 'q', cpu });
    await roomy.clock.advance(2000);
    const told = async () =>
      Promise.all(Object.keys(sizes).map(async (name) => [name, await here.told(name)]));
    assert.deepEqual(Object.fromEntries(await told()), {
      a: 'runs in 0',
      b: 'runs in 0',
      c: 'held WaitingForCapacity',
      small: 'runs in 0',
      huge: 'held NeverFits',
    });
    assert.match(await here.message('c'), /^waits in the queue q: cpu \d+ is missing where it may/);
    assert.match(await here.message('huge'), /^it would not fit if nothing else ran: /);
    await here.remove('a');
    await roomy.clock.advance(2000);
    assert.equal(await here.told('c'), 'runs in 0');
  });

  test('has work that goes at the same time placed where room was kept for each', async () => {
    await using roomy = await startControlPlane({ controllers: queueControllers });
    for (const name of ['c1', 'c2', 'c3']) await addReadyCluster(roomy.client, name);
    const here = queuedWorld(roomy.client);
    const spreadConstraints = [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }];
    await here.policy(undefined, { spreadConstraints });
    await here.queue('q', {}, { 'queue.perigee.io/closed': 'true' });
    for (const name of ['a', 'b', 'c']) await here.job(name, { queue: 'q', cpu: '70' });
    await roomy.settled();
    await here.editQueue('q', { metadata: { annotations: { 'queue.perigee.io/closed': null } } });
    await roomy.clock.advance(2000);
    const bindings = await Promise.all(['a', 'b', 'c'].map((name) => here.binding(name)));
    const clusters = bindings.flatMap((one) => one?.spec.clusters ?? []).map(({ name }) => name);
    assert.deepEqual(clusters.toSorted(), ['c1', 'c2', 'c3']);
  });

  test('takes back what a queue borrowed when its owner asks for it, and only then', async () => {
    for (const isPreempting of [false, true]) {
      await using roomy = await startControlPlane({
        controllers: (parts) => queueControllers(parts, isPreempting),
      });
      await addReadyCluster(roomy.client, 'c1');
      const here = queuedWorld(roomy.client);
      await here.policy();
      await here.queue('all', { capability: { cpu: '4' } });
      await here.queue('owner', { parent: 'all', deserved: { cpu: '2' } });
      await here.queue('borrower', { parent: 'all', deserved: { cpu: '2' } });
      for (const name of ['a', 'b', 'c', 'd']) {
        await here.job(name, { queue: 'borrower' });
        await roomy.clock.advance(10);
      }
      await roomy.clock.advance(3000);
      await here.job('mine', { queue: 'owner', pods: 2 });
      await roomy.clock.advance(5000);
      const names = ['a', 'b', 'c', 'd', 'mine'];
      const told = await Promise.all(names.map((name) => here.told(name)));
      const kept = ['runs in 1', 'runs in 1', 'runs in 1', 'runs in 1', 'held WaitingForQuota'];
      // The youngest go, and no more than it takes.
      const taken = ['runs in 1', 'runs in 1', 'held Preempted', 'held Preempted', 'runs in 1'];
      assert.deepEqual(told, isPreempting ? taken : kept);
      if (!isPreempting) continue;
      assert.equal(
        await here.message('d'),
        'its room is taken back for default/mine-job in the queue owner',
      );
      const { gracefulEvictionTasks = [] } = (await here.binding('d'))?.spec ?? {};
      assert.deepEqual(
        gracefulEvictionTasks.map(({ fromCluster, reason }) => [fromCluster, reason]),
        [['c1', 'Preempted']],
      );
      assert.equal(await here.status('all'), 'Open 0 0 0 0 {"cpu":"4","pods":"4"}');
      await here.finish('mine');
      await here.finish('a');
      // It comes back to the cluster that it left once it has left it.
      await roomy.clock.advance(40_000);
      assert.match(await here.status('borrower'), /^Open 0 [0-2] \d 1 \{"cpu":"3"/);
    }
  });
});
