import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import {
  type TaintEvictionOptions,
  taintEvictionController,
} from '@perigee/controllers/placement/failover/taint-eviction/taint-eviction-controller';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { EvictionPacer } from '@perigee/scheduling/placement/failover/eviction-pacer';
import {
  addBinding,
  addReadyCluster,
  eventsOf,
  KINDS,
  releaseBinding,
  type Scope,
  setHealth,
  setReady,
  setTaints,
  tasksOf,
  whereabouts,
} from '../../../support/bindings.ts';
import { startControlPlane } from '../../../support/control-plane.ts';

const taintEviction = (options: Partial<TaintEvictionOptions> = {}) => {
  const pacer = new EvictionPacer();
  return BINDING_KINDS.map((kind) => taintEvictionController(kind, { pacer, ...options }));
};

/** With a cluster that takes what is driven out, if somebody schedules it. */
const start = async (options?: Partial<TaintEvictionOptions>) => {
  const plane = await startControlPlane({ controllers: taintEviction(options) });
  await addReadyCluster(plane.client, 'other');
  return plane;
};

const drive = { key: 'gone', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' };

const tolerating = (tolerationSeconds?: number) => ({
  clusterTolerations: [
    {
      key: 'gone',
      operator: 'Exists',
      ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
    },
  ],
});

for (const scope of Object.keys(KINDS) as Scope[]) {
  describe(`eviction by taints of a ${scope}`, () => {
    it('drives out what does not tolerate a taint', async () => {
      await using plane = await start();
      const { client, settled } = plane;
      await addReadyCluster(client, 'm1');
      await addBinding(client, scope, 'web');
      await settled();
      assert.equal(await whereabouts(client, scope, 'web'), 'm1:2 |');
      await setTaints(client, 'm1', [drive]);
      await settled();
      assert.equal(await whereabouts(client, scope, 'web'), '| m1');
      const [task] = await tasksOf(client, scope, 'web');
      assert.equal(task?.reason, 'TaintUntolerated');
      assert.equal(task?.producer, 'TaintManager');
      assert.equal(task?.purgeMode, 'Gracefully');
      assert.equal(task?.replicas, 2);
      assert.match(task?.message ?? '', /gone:NoExecute/);
    });

    it('leaves what has run to its end, which would only begin again elsewhere', async () => {
      await using plane = await start();
      const { client, clock, settled } = plane;
      await addReadyCluster(client, 'm1');
      const jobs = {
        done: ['batch/v1', { conditions: [{ type: 'Complete', status: 'True' }] }],
        failed: ['batch/v1', { conditions: [{ type: 'Failed', status: 'True' }] }],
        running: ['batch/v1', { active: 1 }],
        trained: ['batch.volcano.sh/v1alpha1', { state: { phase: 'Completed' } }],
        training: ['batch.volcano.sh/v1alpha1', { state: { phase: 'Running' } }],
      } as const;
      for (const [name, [apiVersion, status]] of Object.entries(jobs)) {
        const resource = { apiVersion, kind: 'Job', namespace: 'default', name };
        await addBinding(client, scope, name, { spec: { resource } });
        await setHealth(client, scope, name, { m1: 'Healthy' }, status);
      }
      await setTaints(client, 'm1', [drive]);
      await settled();
      await clock.advance(60_000);
      const places = await Promise.all(
        Object.keys(jobs).map((name) => whereabouts(client, scope, name)),
      );
      assert.deepEqual(places, ['m1:2 |', 'm1:2 |', '| m1', 'm1:2 |', '| m1']);
    });

    it('leaves what tolerates it, for as long as it does', async () => {
      await using plane = await start();
      const { client, clock, settled } = plane;
      await addReadyCluster(client, 'm1');
      await addBinding(client, scope, 'ever', { placement: tolerating() });
      await addBinding(client, scope, 'while', { placement: tolerating(90) });
      await setTaints(client, 'm1', [drive]);
      await settled();
      await clock.advance(89_999);
      assert.equal(await whereabouts(client, scope, 'while'), 'm1:2 |');
      await clock.advance(1);
      assert.equal(await whereabouts(client, scope, 'while'), '| m1');
      await clock.advance(3_600_000);
      assert.equal(await whereabouts(client, scope, 'ever'), 'm1:2 |');
    });

    it('leaves everything when the taint goes in time', async () => {
      await using plane = await start();
      const { client, clock, settled } = plane;
      await addReadyCluster(client, 'm1');
      await addBinding(client, scope, 'web', { placement: tolerating(60) });
      await setTaints(client, 'm1', [drive]);
      await clock.advance(30_000);
      await setTaints(client, 'm1', []);
      await settled();
      await clock.advance(600_000);
      assert.equal(await whereabouts(client, scope, 'web'), 'm1:2 |');
    });
  });
}

describe('eviction by taints', () => {
  it('goes by the placement that was applied, and waits for one', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    await addReadyCluster(client, 'm1');
    await addBinding(client, 'ResourceBinding', 'other', {
      placement: {},
      annotations: { 'policy.karmada.io/applied-placement': JSON.stringify(tolerating()) },
    });
    await addBinding(client, 'ResourceBinding', 'none', { annotations: {} });
    await setTaints(client, 'm1', [drive]);
    await settled();
    await clock.advance(60_000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'other'), 'm1:2 |');
    assert.equal(await whereabouts(client, 'ResourceBinding', 'none'), 'm1:2 |');
  });

  it('lets one binding go in two seconds, whatever its scope', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    await addReadyCluster(client, 'm1');
    for (const name of ['a', 'b', 'c']) await addBinding(client, 'ResourceBinding', name);
    await addBinding(client, 'ClusterResourceBinding', 'd');
    const left = async () => {
      const all = await Promise.all([
        ...['a', 'b', 'c'].map((name) => whereabouts(client, 'ResourceBinding', name)),
        whereabouts(client, 'ClusterResourceBinding', 'd'),
      ]);
      return all.filter((where) => where === '| m1').length;
    };
    await setTaints(client, 'm1', [drive]);
    await settled();
    const counts = [await left()];
    for (const ms of [1999, 1, 2000, 2000]) {
      await clock.advance(ms);
      counts.push(await left());
    }
    assert.deepEqual(counts, [1, 1, 2, 3, 4]);
  });

  it('slows down while most clusters are unhealthy', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    for (const name of ['m1', 'm2']) await addReadyCluster(client, name);
    for (const name of ['m1', 'm2']) await setReady(client, name, 'False');
    for (const name of ['a', 'b']) await addBinding(client, 'ResourceBinding', name);
    await setTaints(client, 'm1', [drive]);
    await settled();
    await clock.advance(9999);
    const where = async () => [
      await whereabouts(client, 'ResourceBinding', 'a'),
      await whereabouts(client, 'ResourceBinding', 'b'),
    ];
    assert.deepEqual((await where()).sort(), ['m1:2 |', '| m1']);
    await clock.advance(1);
    assert.deepEqual(await where(), ['| m1', '| m1']);
  });

  it('stops while no cluster is ready, and goes on a while after one is', async () => {
    await using plane = await start();
    const { client, clock } = plane;
    for (const name of ['m1', 'm2']) await addReadyCluster(client, name);
    for (const name of ['m1', 'm2']) await setReady(client, name, 'Unknown');
    for (const name of ['m3', 'm4']) await addReadyCluster(client, name);
    for (const name of ['m3', 'm4', 'other']) await setReady(client, name, 'Unknown');
    await addBinding(client, 'ResourceBinding', 'web');
    const clusters = [{ name: 'm3', replicas: 2 }];
    await addBinding(client, 'ResourceBinding', 'shop', { spec: { clusters } });
    for (const name of ['m1', 'm3']) await setTaints(client, name, [drive]);
    await clock.advance(7_200_000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm1:2 |');
    await setReady(client, 'm2', 'True');
    await clock.advance(59_000);
    // This one comes back a little later, and keeps its work.
    await setTaints(client, 'm3', []);
    await clock.advance(120_000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), '| m1');
    assert.equal(await whereabouts(client, 'ResourceBinding', 'shop'), 'm3:2 |');
  });

  it('stops at a rate of nothing', async () => {
    await using plane = await start({ rates: { perSecond: 0 } });
    const { client, clock } = plane;
    await addReadyCluster(client, 'm1');
    await addBinding(client, 'ResourceBinding', 'web');
    await setTaints(client, 'm1', [drive]);
    await clock.advance(7_200_000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm1:2 |');
  });

  it('takes state along, as soon as it is known', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    await addReadyCluster(client, 'm1');
    const rules = [{ aliasLabelName: 'job-id', jsonPath: '{.jobId}' }];
    const failover = { cluster: { purgeMode: 'Directly', statePreservation: { rules } } };
    await addBinding(client, 'ResourceBinding', 'web', { spec: { failover } });
    await setTaints(client, 'm1', [drive]);
    await settled();
    await clock.advance(5000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm1:2 |');
    const told = await eventsOf(client, 'EvictWorkloadFromClusterFailed');
    assert.equal(told.length, 2);
    assert.match(told[0] ?? '', /^Deployment: .*not known yet/);
    await setHealth(client, 'ResourceBinding', 'web', { m1: 'Unhealthy' }, { jobId: 'abc' });
    await settled();
    const [task] = await tasksOf(client, 'ResourceBinding', 'web');
    assert.equal(task?.purgeMode, 'Directly');
    assert.deepEqual(task?.preservedLabelState, { 'job-id': 'abc' });
    assert.deepEqual(task?.clustersBeforeFailover, ['m1']);
  });

  it('leaves what has nowhere to go, says so, and looks again', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    await addReadyCluster(client, 'm1');
    const placement = { clusterAffinity: { clusterNames: ['m1', 'm2'] } };
    await addBinding(client, 'ResourceBinding', 'web', { placement });
    const clusters = ['m1', 'other'].map((name) => ({ name, replicas: 2 }));
    await addBinding(client, 'ResourceBinding', 'shop', { placement, spec: { clusters } });
    await setTaints(client, 'm1', [drive]);
    await settled();
    await clock.advance(600_000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm1:2 |');
    assert.equal(await whereabouts(client, 'ResourceBinding', 'shop'), 'other:2 | m1');
    const told = await eventsOf(client, 'EvictWorkloadFromClusterFailed');
    assert.equal(told.length, 2);
    assert.match(told[0] ?? '', /no other cluster takes it: 0\/2 clusters are available/);
    await addReadyCluster(client, 'm2');
    await clock.advance(60_000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), '| m1');
  });

  it('leaves what no scheduler would place elsewhere: it ended everywhere after ten minutes', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    await addReadyCluster(client, 'm1');
    await addBinding(client, 'ResourceBinding', 'orphan');
    await releaseBinding(client, 'ResourceBinding', 'orphan');
    const spec = { suspension: { scheduling: true } };
    await addBinding(client, 'ResourceBinding', 'suspended', { spec });
    await setTaints(client, 'm1', [drive]);
    await settled();
    await clock.advance(60_000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'orphan'), 'm1:2 |');
    assert.equal(await whereabouts(client, 'ResourceBinding', 'suspended'), 'm1:2 |');
    const events = await eventsOf(client, 'EvictWorkloadFromClusterFailed');
    assert.deepEqual(
      [...new Set(events.map((event) => event.replace(/^.*elsewhere: /, '')))],
      ['its policy is gone, and no other places it', 'its scheduling is suspended'],
    );
    await client.patch(
      ResourceBinding,
      { namespace: 'default', name: 'suspended' },
      { type: 'merge', body: { spec: { suspension: null } } },
    );
    await settled();
    assert.equal(await whereabouts(client, 'ResourceBinding', 'suspended'), '| m1');
  });

  for (const text of ['{', 'null', '[]', '"a"']) {
    it(`tells of an applied placement that is ${text}`, async () => {
      await using plane = await start();
      const { client, clock, settled } = plane;
      await addReadyCluster(client, 'm1');
      const annotations = { 'policy.karmada.io/applied-placement': text };
      await addBinding(client, 'ResourceBinding', 'web', { annotations });
      await setTaints(client, 'm1', [drive]);
      await settled();
      await clock.advance(5000);
      assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm1:2 |');
      assert.match(
        (await eventsOf(client, 'EvictWorkloadFromClusterFailed'))[0] ?? '',
        /applied-placement is not a placement as JSON/,
      );
    });
  }

  it('makes the scheduler place the work elsewhere', async () => {
    await using plane = await startControlPlane({
      controllers: [...taintEviction(), ...BINDING_KINDS.map((kind) => schedulerController(kind))],
    });
    const { client, settled } = plane;
    await addReadyCluster(client, 'm1');
    await addBinding(client, 'ResourceBinding', 'web', {
      placement: {
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Aggregated',
        },
      },
      spec: { replicaRequirements: { resourceRequest: { cpu: '1' } }, clusters: [] },
    });
    await settled();
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm1:2 |');
    await addReadyCluster(client, 'm2');
    await setTaints(client, 'm1', [drive]);
    await settled();
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm2:2 | m1');
  });
});
