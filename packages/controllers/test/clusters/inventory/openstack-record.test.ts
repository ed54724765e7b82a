import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import { startInventory } from '../../support/inventory.ts';
import { OpenStackCloud } from '../../support/openstack-cloud.ts';

const REF = { namespace: 'inventory', name: 'osaka' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Its answers take real time, and what is tried again takes virtual time: both pass. */
const untilReady = async ({
  settle,
  recordOf,
}: Awaited<ReturnType<typeof startInventory>>): Promise<void> => {
  while ((await recordOf('osaka'))?.status?.phase !== 'Ready') {
    await settle(1);
    await setImmediate();
  }
};

test('an OpenStack cloud is counted, and gets no execution target', async () => {
  await using cloud = await OpenStackCloud.start();
  await using inventory = await startInventory();
  const { client, register, settle, targetOf, recordOf, conditionOf } = inventory;
  await client.create(Namespace, { metadata: { name: REF.namespace } });
  await register('osaka', { type: 'openstack', secretRef: REF });
  await settle();
  assert.equal(await conditionOf('osaka'), 'NotReady: False SecretMissing');
  const data = {
    authUrl: base64(cloud.url),
    applicationCredentialId: base64('id'),
    applicationCredentialSecret: base64('right'),
  };
  await client.create(Secret, { metadata: REF, data });
  await untilReady(inventory);
  const { status } = (await recordOf('osaka')) ?? {};
  assert.equal(status?.capacity?.cpu, '100');
  assert.deepEqual(status?.flavors?.[0], {
    flavorID: 'm1.huge',
    totalCapacity: 2,
    cpu: 48,
    memory: 98_304,
  });
  assert.deepEqual(status?.storageTypes, ['archive', 'ssd-fast']);
  assert.ok(status?.lastSeenTime);
  assert.equal(await conditionOf('osaka', 'ExecutionTarget'), 'Ready: False InventoryOnly');
  assert.equal(await targetOf('osaka'), undefined);
  await client.delete(ClusterRecord, { name: 'osaka' });
  assert.equal(await recordOf('osaka'), undefined, 'nothing has to be waited for');
});

test('a cloud that says impossible things of itself is still told to be well or not', async () => {
  await using cloud = await OpenStackCloud.start();
  cloud.instead.set('/compute/limits', (response) => {
    const absolute = { maxTotalCores: 1e300, maxTotalRAMSize: 1e30, maxTotalInstances: 20 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ limits: { absolute } }));
  });
  await using inventory = await startInventory();
  const { client, register, recordOf, conditionOf, messageOf } = inventory;
  await client.create(Namespace, { metadata: { name: REF.namespace } });
  const data = {
    authUrl: base64(cloud.url),
    applicationCredentialId: base64('id'),
    applicationCredentialSecret: base64('right'),
  };
  await client.create(Secret, { metadata: REF, data });
  await register('osaka', { type: 'openstack', secretRef: REF });
  await untilReady(inventory);
  assert.equal(await conditionOf('osaka', 'AmountsKnown'), 'Ready: False AmountsRefused');
  assert.match(await messageOf('osaka', 'AmountsKnown'), /status\.\w+\.memory/);
  assert.equal((await recordOf('osaka'))?.status?.capacity, undefined);
});
