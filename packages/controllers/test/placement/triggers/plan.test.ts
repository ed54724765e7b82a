import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { Client } from '@perigee/kube/client/client';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { lookupAmong } from '@perigee/scheduling/placement/triggers/lookup-among';
import { planTargets } from '@perigee/scheduling/placement/triggers/plan-targets';
import { selectTargets } from '@perigee/scheduling/placement/triggers/select-targets';
import fc from 'fast-check';
import { addReadyCluster } from '../../support/bindings.ts';
import {
  addTrigger,
  addWork,
  DIVIDED,
  setRoom,
  startTriggers,
  triggerOf,
} from '../../support/triggers.ts';

const CLUSTERS = ['m1', 'm2', 'm3'];

const division = (preference: string) => ({
  replicaScheduling: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: preference,
    ...(preference === 'Weighted' ? DIVIDED.replicaScheduling : {}),
  },
});

const PLACEMENTS = [
  DIVIDED,
  division('Aggregated'),
  { replicaScheduling: { replicaSchedulingType: 'Duplicated' } },
  {
    clusterAffinities: [
      { affinityName: 'home', clusterNames: ['m3'] },
      { affinityName: 'cloud', clusterNames: ['m1', 'm2'] },
    ],
    ...division('Aggregated'),
  },
  { ...DIVIDED, spreadConstraints: [{ spreadByField: 'cluster', minGroups: 2, maxGroups: 2 }] },
];

/** The entry of each resource, without the time. */
type Told = Pick<
  NonNullable<NonNullable<ScheduleTrigger['status']>['targets']>[number],
  'name' | 'result' | 'reason' | 'before' | 'after' | 'replicasMoved'
>;

const comparable = ({ name, result, reason, before, after, replicasMoved }: Told) => ({
  name,
  result,
  reason,
  before,
  after,
  replicasMoved,
});

const byName = (a: Told, b: Told): number => (a.name < b.name ? -1 : 1);

const planOf = async (client: Client, spec: ScheduleTrigger['spec'], nowMs: number) => {
  const bindings = (await client.list(ResourceBinding)).items;
  const clusters = (await client.list(MemberCluster)).items.map(clusterFacts);
  const hasLabels = () => true;
  const lookup = lookupAmong({ bindings, policies: [], clusters, hasLabels });
  const targets = selectTargets(spec, lookup, nowMs);
  const plan = planTargets(targets, spec, { clusters, rules: standardRules, bindings }, nowMs);
  return plan
    .map(({ resource, verdict }) => comparable({ name: resource.name, ...verdict }))
    .sort(byName);
};

it('a plan foretells what a trigger then does, when nothing else changes', async () => {
  await using plane = await startTriggers();
  const { client, clock } = plane;
  await addReadyCluster(client, 'm3');
  for (const [index, placement] of PLACEMENTS.entries()) {
    await addWork(client, `w${index}`, { spec: { placement, replicas: 3 + index } });
  }
  await addWork(client, 'held', { spec: { suspension: { scheduling: true } } });
  await clock.advance(2000);
  let round = 0;
  let moved = 0;
  let failed = 0;
  const room = fc.array(fc.nat({ max: 12 }), { minLength: 3, maxLength: 3 });
  const towards = fc.option(fc.constantFrom(...CLUSTERS), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(room, towards, fc.boolean(), async (rooms, cluster, isLarge) => {
      const large = { type: 'merge', body: { spec: { replicas: isLarge ? 60 : 4 } } } as const;
      await client.patch(ResourceBinding, { namespace: 'default', name: 'w1-deployment' }, large);
      for (const [index, name] of CLUSTERS.entries()) {
        await setRoom(client, name, String(rooms[index]));
      }
      await clock.advance(2000);
      round += 1;
      const name = `round-${round}`;
      const { spec } = await addTrigger(client, name, {
        targetSelectors: [{ namespaces: ['default'] }],
        ...(cluster === undefined ? {} : { towardsClusters: [cluster] }),
        maxConcurrent: 1000,
      });
      // The trigger has not begun: time stands still.
      const plan = await planOf(client, spec, clock.now());
      await clock.advance(3000);
      const { status } = await triggerOf(client, name);
      const done = (status?.targets ?? []).map(comparable).sort(byName);
      assert.deepEqual(done, plan);
      moved += plan.filter(({ result }) => result === 'Scheduled').length;
      failed += plan.filter(({ result }) => result === 'Failed').length;
      // A failed request stays due, and would be scheduled in a later round.
      const body = { spec: { gracefulEvictionTasks: null, rescheduleTriggeredAt: null } };
      for (const { metadata } of (await client.list(ResourceBinding)).items) {
        const ref = { namespace: 'default', name: metadata.name };
        await client.patch(ResourceBinding, ref, { type: 'merge', body });
      }
      await client.delete(ScheduleTrigger, { name });
      await clock.advance(2000);
    }),
    { numRuns: 20, endOnFailure: true },
  );
  assert.ok(moved > 5, `only ${moved} moved`);
  assert.ok(failed > 2, `only ${failed} failed`);
});
