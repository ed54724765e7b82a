import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { startInventory } from '../../support/inventory.ts';

const JOINED = {
  metadata: { name: 'joined', labels: { 'globalscheduler.com/city': 'Turin', team: 'a' } },
  spec: {
    syncMode: 'Push',
    apiEndpoint: 'https://10.0.0.9:6443',
    provider: 'aurora',
    region: 'eu-south',
    zones: ['eu-south-1', 'eu-south-2'],
    secretRef: { namespace: 'clusters', name: 'joined' },
  },
} as const;

test('a cluster that was joined without the inventory gets a record with what is known of it', async () => {
  await using inventory = await startInventory();
  const { client, settle, recordOf, targetOf } = inventory;
  const { metadata } = await client.create(MemberCluster, JOINED, { fieldManager: 'owner' });
  await settle();
  const record = await recordOf('joined');
  assert.deepEqual(record?.spec, {
    type: 'kubernetes',
    apiEndpoint: 'https://10.0.0.9:6443',
    secretRef: { namespace: 'clusters', name: 'joined' },
    geoLocation: { city: 'Turin' },
    region: { region: 'eu-south', availabilityZone: 'eu-south-1' },
    operator: { operator: 'aurora' },
  });
  assert.equal(record?.metadata.annotations?.['globalscheduler.com/adopted-from'], metadata.uid);
  const target = await targetOf('joined');
  assert.deepEqual(target?.spec.zones, ['eu-south-1', 'eu-south-2'], 'nothing of it is lost');
  assert.equal(target?.metadata.uid, metadata.uid);
});

test('the record of a cluster that its owner takes away goes with it', async () => {
  await using inventory = await startInventory();
  const { client, clock, settle, recordOf, targetOf } = inventory;
  await client.create(MemberCluster, JOINED, { fieldManager: 'owner' });
  await settle();
  await client.delete(MemberCluster, { name: 'joined' });
  await clock.advance(60_000);
  assert.equal(await targetOf('joined'), undefined);
  assert.equal(await recordOf('joined'), undefined);
});

test('unregistering an adopted cluster removes its target too, so that it is not adopted again', async () => {
  await using inventory = await startInventory();
  const { client, clock, settle, recordOf, targetOf } = inventory;
  await client.create(MemberCluster, JOINED, { fieldManager: 'owner' });
  await settle();
  await client.delete(ClusterRecord, { name: 'joined' });
  await clock.advance(60_000);
  assert.equal(await targetOf('joined'), undefined);
  assert.equal(await recordOf('joined'), undefined);
});

test('an adopted record that is no longer marked as such makes its target again', async () => {
  await using inventory = await startInventory();
  const { client, clock, settle, recordOf, targetOf } = inventory;
  await client.create(MemberCluster, JOINED, { fieldManager: 'owner' });
  await settle();
  const body = { metadata: { annotations: { 'globalscheduler.com/adopted-from': null } } };
  await client.patch(ClusterRecord, { name: 'joined' }, { type: 'merge', body });
  await client.delete(MemberCluster, { name: 'joined' });
  await clock.advance(60_000);
  assert.ok(await recordOf('joined'));
  assert.equal((await targetOf('joined'))?.spec.region, 'eu-south');
});
