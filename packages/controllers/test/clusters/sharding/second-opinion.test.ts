import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { addRecord, addWork, startShardedPlane, workOf } from '../../support/schedulers.ts';

const NAMES = ['one', 'two', 'three'];
const ref = { namespace: 'default', name: 'big-deployment' };
/** More than all clusters have together. */
const TOO_MUCH = { replicas: 10_000, replicaRequirements: { resourceRequest: { cpu: '1' } } };

const start = async () => {
  const plane = await startShardedPlane();
  for (const name of NAMES) await plane.addScheduler(name);
  await plane.pass();
  for (let at = 0; at < 6; at += 1) await addRecord(plane.client, `c${at}`, { city: `city${at}` });
  await plane.pass();
  return plane;
};

describe('work that a scheduler finds no place for', () => {
  it('is shown to each other candidate once, and then stays and says why', async () => {
    await using plane = await start();
    const { client, pass } = plane;
    await addWork(client, 'big', TOO_MUCH);
    await pass(10_000);
    const { metadata, spec, status } = await client.get(ResourceBinding, ref);
    const refusers = metadata.annotations?.['globalscheduler.com/refused-by']?.split(',') ?? [];
    assert.deepEqual([...refusers, spec.schedulerName].sort(), NAMES.toSorted());
    const { status: said, reason } = findCondition(status?.conditions, 'Scheduled') ?? {};
    assert.deepEqual([said, reason], ['False', 'Unschedulable']);
    await pass(600_000);
    const later = await client.get(ResourceBinding, ref);
    assert.equal(later.metadata.resourceVersion, metadata.resourceVersion);
  });

  it('is placed by whoever has it when there is room', async () => {
    await using plane = await start();
    const { client, pass } = plane;
    await addWork(client, 'big', TOO_MUCH);
    await pass(10_000);
    const { scheduler } = await workOf(client, 'big');
    const body = { spec: { replicas: 6 } };
    await client.patch(ResourceBinding, ref, { type: 'merge', body });
    await pass(10_000);
    const work = await workOf(client, 'big');
    assert.deepEqual([work.scheduler, work.isScheduled], [scheduler, true]);
  });
});
