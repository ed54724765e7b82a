import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { startInventory } from '../../support/inventory.ts';

test('a virtual member is hosted before it gets a target, and removed after the target is gone', async () => {
  await using inventory = await startInventory();
  const { client, clock, hosted, register, settle, targetOf, recordOf, conditionOf } = inventory;
  await register('edge', { type: 'virtual' });
  await settle();
  assert.equal(await conditionOf('edge'), 'Ready: True ClusterReady');
  assert.equal((await targetOf('edge'))?.spec.apiEndpoint, 'https://host/clusters/edge');
  assert.match(await conditionOf('edge', 'ExecutionTarget'), /True InStep$/);
  await client.delete(ClusterRecord, { name: 'edge' });
  await clock.advance(60_000);
  assert.equal(await recordOf('edge'), undefined);
  assert.equal(await targetOf('edge'), undefined);
  assert.deepEqual(hosted, ['made edge', 'removed edge']);
});

test('one that cannot be hosted says why, gets no target, and can be unregistered', async () => {
  await using inventory = await startInventory();
  const { client, clock, register, targetOf, recordOf, conditionOf, messageOf } = inventory;
  await register('impossible', { type: 'virtual' });
  await clock.advance(5000);
  assert.equal(await conditionOf('impossible'), 'NotReady: False NotHosted');
  assert.equal(await messageOf('impossible'), 'there is no room for impossible');
  assert.equal(await targetOf('impossible'), undefined);
  await client.delete(ClusterRecord, { name: 'impossible' });
  await clock.advance(60_000);
  assert.equal(await recordOf('impossible'), undefined);
});

test('the type of a cluster cannot change', async () => {
  await using inventory = await startInventory();
  const { client, register } = inventory;
  await register('edge', { type: 'virtual' });
  const body = { spec: { type: 'kubernetes' } };
  await assert.rejects(
    client.patch(ClusterRecord, { name: 'edge' }, { type: 'merge', body }),
    /cannot become one of another type/,
  );
});
