import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { applicationFailoverController } from '../../../../src/placement/failover/application/application-failover-controller.ts';
import {
  addBinding,
  bindingRef,
  eventsOf,
  KINDS,
  releaseBinding,
  type Scope,
  setHealth,
  tasksOf,
  whereabouts,
} from '../../../support/bindings.ts';
import { startControlPlane } from '../../../support/control-plane.ts';

const start = () =>
  startControlPlane({
    controllers: BINDING_KINDS.map((kind) => applicationFailoverController(kind)),
  });

const failing = (application: object = {}, spec: object = {}) => ({
  spec: {
    propagateDeps: true,
    clusters: [
      { name: 'm1', replicas: 1 },
      { name: 'm2', replicas: 1 },
    ],
    failover: {
      application: {
        decisionConditions: { tolerationSeconds: 60 },
        purgeMode: 'Directly',
        ...application,
      },
    },
    ...spec,
  },
});

const SINCE = 'policy.perigee.io/unhealthy-since';

for (const scope of Object.keys(KINDS) as Scope[]) {
  describe(`application failover of a ${scope}`, () => {
    it('moves what is unhealthy for too long', async () => {
      await using plane = await start();
      const { client, clock, settled } = plane;
      await addBinding(client, scope, 'web', failing());
      await setHealth(client, scope, 'web', { m1: 'Unhealthy', m2: 'Healthy' });
      await settled();
      await clock.advance(59_999);
      assert.equal(await whereabouts(client, scope, 'web'), 'm1:1 m2:1 |');
      await clock.advance(1);
      assert.equal(await whereabouts(client, scope, 'web'), 'm2:1 | m1');
      const [task] = await tasksOf(client, scope, 'web');
      const kind = scope === 'ResourceBinding' ? 'resource-binding' : 'cluster-resource-binding';
      assert.deepEqual(task, {
        fromCluster: 'm1',
        purgeMode: 'Directly',
        reason: 'ApplicationFailure',
        producer: `${kind}-application-failover-controller`,
        replicas: 1,
      });
    });
  });
}

describe('application failover', () => {
  const scope = 'ResourceBinding';

  it('counts anew when the work was healthy in between', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    await addBinding(client, scope, 'web', failing());
    for (const health of ['Unhealthy', 'Healthy', 'Unhealthy', 'Unknown', 'Unhealthy'] as const) {
      await setHealth(client, scope, 'web', { m1: health });
      await settled();
      await clock.advance(50_000);
    }
    assert.equal(await whereabouts(client, scope, 'web'), 'm1:1 m2:1 |');
    await clock.advance(10_000);
    assert.equal(await whereabouts(client, scope, 'web'), 'm2:1 | m1');
  });

  it('remembers over a restart since when the work is unhealthy', async () => {
    const clock = new VirtualClock();
    const logger = createLogger({ clock, level: 'error' });
    await using server = await startEmbeddedServer({ clock, logger });
    const { client } = server;
    const run = async (ms: number) => {
      const controllers = BINDING_KINDS.map((kind) => applicationFailoverController(kind));
      await using manager = new Manager({ client, clock, logger, controllers });
      await manager.start();
      await clock.advance(ms);
    };
    await addBinding(client, scope, 'web', failing());
    await setHealth(client, scope, 'web', { m1: 'Unhealthy' });
    await run(40_000);
    await run(19_999);
    assert.equal(await whereabouts(client, scope, 'web'), 'm1:1 m2:1 |');
    await run(1);
    assert.equal(await whereabouts(client, scope, 'web'), 'm2:1 | m1');
  });

  it('writes down since when, and takes it back', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    const ref = bindingRef(scope, 'web');
    const noted = async () => (await client.get(KINDS[scope], ref)).metadata.annotations?.[SINCE];
    await addBinding(client, scope, 'web', failing());
    await setHealth(client, scope, 'web', { m1: 'Unhealthy', m2: 'Unhealthy' });
    await settled();
    assert.equal(await noted(), '{"m1":"2026-01-01T00:00:00Z","m2":"2026-01-01T00:00:00Z"}');
    await setHealth(client, scope, 'web', { m1: 'Healthy', m2: 'Healthy' });
    await settled();
    assert.equal(await noted(), undefined);
  });

  const notes = ['{', '[]', '{"m1":5}', '{"m1":"yesterday"}'];
  for (const text of notes) {
    it(`begins anew when the note is ${text}`, async () => {
      await using plane = await start();
      const { client, clock, settled } = plane;
      await addBinding(client, scope, 'web', { ...failing(), annotations: { [SINCE]: text } });
      await setHealth(client, scope, 'web', { m1: 'Unhealthy' });
      await settled();
      assert.equal(await whereabouts(client, scope, 'web'), 'm1:1 m2:1 |');
      await clock.advance(60_000);
      assert.equal(await whereabouts(client, scope, 'web'), 'm2:1 | m1');
    });
  }

  const modes: readonly (readonly [string, object, object])[] = [
    ['Directly', {}, {}],
    ['Gracefully', { gracePeriodSeconds: 45 }, { gracePeriodSeconds: 45 }],
    ['Never', {}, { suppressDeletion: true }],
  ];
  for (const [purgeMode, fields, expected] of modes) {
    it(`purges ${purgeMode}`, async () => {
      await using plane = await start();
      const { client, settled } = plane;
      const application = { decisionConditions: { tolerationSeconds: 0 }, purgeMode, ...fields };
      await addBinding(client, scope, 'web', failing(application));
      await setHealth(client, scope, 'web', { m1: 'Unhealthy' });
      await settled();
      const [task] = await tasksOf(client, scope, 'web');
      const { gracePeriodSeconds, suppressDeletion } = task ?? {};
      assert.equal(task?.purgeMode, purgeMode);
      assert.deepEqual(
        {
          ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
          ...(suppressDeletion === undefined ? {} : { suppressDeletion }),
        },
        expected,
      );
    });
  }

  it('leaves alone what has no such policy, no dependencies along, or no known health', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    const resource = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'odd' };
    await addBinding(client, scope, 'bare', failing({}, { failover: {} }));
    await addBinding(client, scope, 'alone', failing({}, { propagateDeps: false }));
    await addBinding(client, scope, 'odd', failing({}, { resource }));
    for (const name of ['bare', 'alone', 'odd']) {
      await setHealth(client, scope, name, { m1: 'Unhealthy' });
    }
    await settled();
    await clock.advance(3_600_000);
    for (const name of ['bare', 'alone', 'odd']) {
      assert.equal(await whereabouts(client, scope, name), 'm1:1 m2:1 |');
    }
  });

  it('keeps work that no scheduler would place elsewhere, and tells so', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    await addBinding(client, scope, 'orphan', failing());
    await releaseBinding(client, scope, 'orphan');
    await setHealth(client, scope, 'orphan', { m1: 'Unhealthy' });
    await settled();
    await clock.advance(65_000);
    assert.equal(await whereabouts(client, scope, 'orphan'), 'm1:1 m2:1 |');
    const [event = ''] = await eventsOf(client, 'EvictWorkloadFromClusterFailed');
    assert.match(event, /nobody would place it elsewhere: its policy is gone/);
  });

  it('keeps work whose state is not known where it is, and tells so', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    const rules = [{ aliasLabelName: 'at', jsonPath: '{.at}' }];
    await addBinding(client, scope, 'web', failing({ statePreservation: { rules } }));
    await setHealth(client, scope, 'web', { m1: 'Unhealthy' });
    await settled();
    await clock.advance(65_000);
    assert.equal(await whereabouts(client, scope, 'web'), 'm1:1 m2:1 |');
    assert.equal((await eventsOf(client, 'EvictWorkloadFromClusterFailed')).length, 2);
    await setHealth(client, scope, 'web', { m1: 'Unhealthy' }, { at: 3 });
    await settled();
    const [task] = await tasksOf(client, scope, 'web');
    assert.deepEqual(task?.preservedLabelState, { at: '3' });
    assert.deepEqual(task?.clustersBeforeFailover, ['m1', 'm2']);
  });
});
