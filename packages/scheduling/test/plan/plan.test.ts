import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { plan, stateAfter } from '@perigee/scheduling/plan/plan';
import type { Plan, PlannedWork } from '@perigee/scheduling/plan/planned-work';
import type { Change } from '@perigee/scheduling/plan/world';
import { ExactRoom } from '../../src/placement/scheduler/estimate/exact-room.ts';
import {
  AGGREGATED,
  cluster,
  DUPLICATED,
  deployment,
  LOST,
  policy,
  settled,
  world,
} from './plan-world.ts';

const shares = (clusters: PlannedWork['to']): string =>
  clusters.map(({ name, replicas }) => `${name}:${replicas}`).join(' ');

/** Such as `web move m1:2 -> m2:2 TaintUntolerated`. */
const told = ({ work }: Plan): readonly string[] =>
  work.map(({ name, action, from, to, reason }) =>
    [name, action, shares(from), '->', shares(to), reason].filter((word) => word !== '').join(' '),
  );

const put = (object: ReturnType<typeof deployment>): Change => ({
  kind: 'put',
  of: 'template',
  object,
});

describe('a plan', () => {
  it('places new work by the policy that selects it', () => {
    const before = world({ policies: [policy(AGGREGATED)] });
    assert.deepEqual(told(plan(before, [put(deployment('web', 4))])), [
      'web place -> m1:4 PlacementChanged',
    ]);
  });

  it('says that no policy selects new work', () => {
    assert.deepEqual(told(plan(world(), [put(deployment('web', 4))])), ['web wait -> NoPolicy']);
  });

  it('says what new work lacks that fits nowhere', () => {
    const before = world({ policies: [policy(AGGREGATED)] });
    assert.deepEqual(told(plan(before, [put(deployment('web', 40))])), [
      'web wait -> Unschedulable',
    ]);
  });

  const running = settled(
    world({
      policies: [policy(AGGREGATED)],
      templates: [deployment('web', 4), deployment('api', 3)],
      taintPolicies: [LOST],
    }),
  );

  it('counts the room of what it has placed itself', () => {
    const clusters = [cluster('m1', { cpu: '4' }), cluster('m2', { cpu: '4' })];
    const full = settled(
      world({ clusters, policies: [policy(AGGREGATED)], templates: [deployment('web', 4)] }),
    );
    assert.deepEqual(told(plan(full, [put(deployment('api', 3))])), [
      'api place -> m2:3 PlacementChanged',
    ]);
  });

  it('moves work out of a lost cluster, one after the other', () => {
    const { work } = plan(running, [{ kind: 'lose', cluster: 'm1' }]);
    assert.deepEqual(told({ work, notes: [] }), [
      'api move m1:3 -> m2:3 TaintUntolerated',
      'web move m1:4 -> m3:4 TaintUntolerated',
    ]);
    assert.deepEqual(work.map(({ afterSeconds }) => afterSeconds).toSorted(), [90, 92]);
  });

  it('lets work leave a cluster by name, whatever was written last', () => {
    const [first, ...rest] = running.bindings;
    const { steps } = stateAfter({ ...running, bindings: [...rest, first as never] }, [
      { kind: 'lose', cluster: 'm1' },
    ]);
    assert.deepEqual([...steps.keys()], ['default/api-deployment', 'default/web-deployment']);
  });

  it('leaves work in a lost cluster when no policy drives it out, and says so', () => {
    const without = { ...running, taintPolicies: [] };
    const found = plan(without, [{ kind: 'lose', cluster: 'm1' }]);
    assert.deepEqual(told(found), [
      'api short m1:3 -> m1:3 ClusterLost',
      'web short m1:4 -> m1:4 ClusterLost',
    ]);
    assert.match(found.notes.join(), /no ClusterTaintPolicy/);
  });

  it('moves work out of a cluster that is drained', () => {
    assert.deepEqual(told(plan(running, [{ kind: 'drain', cluster: 'm1' }])), [
      'api move m1:3 -> m2:3 ClusterIsGoing',
      'web move m1:4 -> m2:4 ClusterIsGoing',
    ]);
  });

  it('says of a drain that work with nowhere to go keeps the cluster from being unregistered', () => {
    assert.deepEqual(plan(running, [{ kind: 'drain', cluster: 'm1' }]).notes, []);
    const clusters = [cluster('m1'), cluster('m2', { cpu: '1' })];
    const alone = settled(
      world({ clusters, policies: [policy(AGGREGATED)], templates: [deployment('web', 4)] }),
    );
    const { notes } = plan(alone, [{ kind: 'drain', cluster: 'm1' }]);
    assert.match(
      notes.join(),
      /^"perigee unregister m1" would do nothing .*: Deployment default\/web\./,
    );
  });

  it('keeps work that has nowhere to go where it is', () => {
    const alone = settled(
      world({
        clusters: [cluster('m1'), cluster('m2', { cpu: '1' })],
        policies: [policy(AGGREGATED)],
        templates: [deployment('web', 4)],
        taintPolicies: [LOST],
      }),
    );
    assert.deepEqual(told(plan(alone, [{ kind: 'lose', cluster: 'm1' }])), [
      'web short m1:4 -> m1:4 CannotLeave',
    ]);
  });

  it('says that work would have fewer replicas than it wants', () => {
    assert.deepEqual(told(plan(running, [put(deployment('web', 60))])), [
      'web short m1:4 -> m1:4 Unschedulable',
    ]);
  });

  it('says that nodes have no room for all that work would have everywhere', () => {
    const everywhere = settled(
      world({ policies: [policy(DUPLICATED)], templates: [deployment('web', 4)] }),
    );
    const node = { count: 1, free: new Map([['cpu', 9000]]), pods: 110 };
    const free = new ExactRoom([node], new Set());
    const counted = { ...everywhere, spaces: new Map([['m2', { free }]]) };
    const { notes } = plan(counted, [put(deployment('web', 60))]);
    assert.match(
      notes.join(),
      /^the nodes of m2 have room for 13 of the 60 replicas that deployment\/web/,
    );
    assert.deepEqual(plan(counted, [put(deployment('web', 5))]).notes, []);
  });

  const changed = (object: Template, fields: object): Template =>
    ({ ...object, ...fields }) as never;
  const job = { apiVersion: 'batch/v1', kind: 'Job', spec: { parallelism: 4 } };
  const loading = changed(deployment('web', 4), job);
  const correct = (object: Template): Change =>
    put(changed(object, { metadata: { ...object.metadata, annotations: { a: 'b' } } }));
  const lose: Change = { kind: 'lose', cluster: 'm1' };
  const onFullNodes: readonly (readonly [string, Template, object, Change, string])[] = [
    ['pods of a Job that change', loading, { active: 4 }, correct(loading), 'update'],
    ['pods of a Job in a lost cluster', loading, { active: 4 }, lose, 'short'],
    ['pods in a lost cluster that told nothing', deployment('web', 4), {}, lose, 'short'],
    [
      'pods that crash until they are corrected',
      deployment('web', 4),
      { replicas: 4 },
      correct(deployment('web', 4)),
      'update',
    ],
  ];
  for (const [what, object, status, change, action] of onFullNodes) {
    it(`does not say of ${what} that full nodes have no room for them`, () => {
      const { apiVersion, kind } = object;
      const policies = [policy(AGGREGATED, { resourceSelectors: [{ apiVersion, kind }] })];
      const seen = settled(world({ policies, templates: [object] }));
      const aggregatedStatus = [{ clusterName: 'm1', applied: true, status }];
      const bindings = seen.bindings.map(
        (one) => ({ ...one, status: { ...one.status, aggregatedStatus } }) as typeof one,
      );
      const spaces = new Map([['m1', { free: new ExactRoom([], new Set()) }]]);
      const { work, notes } = plan({ ...seen, bindings, spaces }, [change]);
      assert.equal(work.map((one) => one.action).join(), action);
      assert.doesNotMatch(notes.join(), /have room for/);
    });
  }

  it('scales work, and updates it where it is', () => {
    assert.deepEqual(told(plan(running, [put(deployment('web', 6))])), [
      'web scale m1:4 -> m1:6 ReplicasChanged',
    ]);
    const image = deployment('web', 4);
    const other = { ...image, metadata: { ...image.metadata, annotations: { a: 'b' } } };
    assert.deepEqual(told(plan(running, [put(other as never)])), [
      'web update m1:4 -> m1:4 TemplateChanged',
    ]);
  });

  it('follows another policy', () => {
    const object = policy({ ...AGGREGATED, clusterAffinity: { clusterNames: ['m3'] } });
    assert.deepEqual(told(plan(running, [{ kind: 'put', of: 'policy', object }])), [
      'api move m1:3 -> m3:3 PlacementChanged',
      'web move m1:4 -> m3:4 PlacementChanged',
    ]);
  });

  it('puts a new cluster to use for work that goes to all', () => {
    const all = settled(
      world({ policies: [policy(DUPLICATED)], templates: [deployment('web', 2)] }),
    );
    const change = { kind: 'put', of: 'cluster', object: cluster('m4') } as const;
    assert.deepEqual(told(plan(all, [change])), [
      'web move m1:2 m2:2 m3:2 -> m1:2 m2:2 m3:2 m4:2 AlwaysScheduled',
    ]);
  });

  it('takes work out of a cluster that it may not use any more', () => {
    const gold = { clusterAffinity: { labelSelector: { matchLabels: { tier: 'gold' } } } };
    const labels = { tier: 'gold' };
    const all = settled(
      world({
        clusters: [cluster('m1', { labels }), cluster('m2', { labels })],
        policies: [policy({ ...DUPLICATED, ...gold })],
        templates: [deployment('web', 2)],
      }),
    );
    const change = { kind: 'put', of: 'cluster', object: cluster('m1') } as const;
    assert.deepEqual(told(plan(all, [change])), ['web move m1:2 m2:2 -> m2:2 AlwaysScheduled']);
  });

  it('tells what a trigger would move', () => {
    const spread = settled({
      ...running,
      clusters: [cluster('m1'), cluster('m2'), cluster('m3', { cpu: '100' })],
    });
    const spec = { targetSelectors: [{}] } as never;
    assert.deepEqual(told(plan(spread, [{ kind: 'trigger', spec }])), [
      'api move m1:3 -> m3:3 RescheduleTriggered',
      'web move m1:4 -> m3:4 RescheduleTriggered',
    ]);
  });

  it('notes a cluster that a policy names in vain, although its work finds a place', () => {
    const names = policy({ clusterAffinity: { clusterNames: ['m1', 'm22'] } });
    const put_: Change = { kind: 'put', of: 'policy', object: names };
    const planned = plan(world(), [put_, put(deployment('web', 1))]);
    assert.deepEqual(told(planned), ['web place -> m1:1 PlacementChanged']);
    assert.deepEqual(planned.notes, [
      'in the policy all: no cluster is named `m22`: did you mean `m2`?',
    ]);
  });

  it('notes the targets that a trigger would not find, and moves the others', () => {
    const spread = settled({
      ...running,
      clusters: [cluster('m1'), cluster('m2'), cluster('m3', { cpu: '100' })],
    });
    const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };
    const spec = { targetRefResource: [web, { ...web, name: 'wbe' }] } as never;
    const planned = plan(spread, [{ kind: 'trigger', spec }]);
    assert.deepEqual(told(planned), ['web move m1:4 -> m3:4 RescheduleTriggered']);
    assert.match(
      planned.notes.join(),
      /^the trigger would fail for Deployment default\/wbe: there is no/,
    );
  });

  it('refuses to lose a cluster that is not there, and names those that are', () => {
    assert.throws(
      () => plan(running, [{ kind: 'lose', cluster: 'm9' }]),
      /no cluster m9; there are m1, m2, m3/,
    );
  });
});
