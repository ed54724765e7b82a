import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Work } from '@perigee/api/kinds/placement/work';
import { startInventory } from '../../support/inventory.ts';

const SEATTLE = {
  geoLocation: { city: 'Bellevue', province: 'Washington', area: 'West', country: 'US' },
  region: { region: 'us-west', availabilityZone: 'us-west-1' },
  operator: { operator: 'globalscheduler' },
};

const merge = (body: object) => ({ type: 'merge', body }) as const;

test('a record becomes an execution target that policies can select by where it is', async () => {
  await using inventory = await startInventory();
  const { register, settle, targetOf } = inventory;
  const secretRef = { namespace: 'clusters', name: 'west' };
  await register(
    'west',
    { ...SEATTLE, secretRef, apiEndpoint: 'https://10.0.0.3:6443' },
    { labels: { tier: 'gold' } },
  );
  await settle();
  const target = await targetOf('west');
  assert.deepEqual(target?.metadata.labels, {
    tier: 'gold',
    'globalscheduler.com/type': 'kubernetes',
    'globalscheduler.com/city': 'Bellevue',
    'globalscheduler.com/province': 'Washington',
    'globalscheduler.com/area': 'West',
    'globalscheduler.com/country': 'US',
    'globalscheduler.com/provider': 'globalscheduler',
    'topology.kubernetes.io/region': 'us-west',
    'topology.kubernetes.io/zone': 'us-west-1',
  });
  const { syncMode, apiEndpoint, secretRef: secret, provider, region, zones } = target?.spec ?? {};
  assert.deepEqual(
    { syncMode, apiEndpoint, secret, provider, region, zones },
    {
      syncMode: 'Push',
      apiEndpoint: 'https://10.0.0.3:6443',
      secret: secretRef,
      provider: 'globalscheduler',
      region: 'us-west',
      zones: ['us-west-1'],
    },
  );
});

test('the target follows the record, also when the record says less, and is then left alone', async () => {
  await using inventory = await startInventory();
  const { client, clock, register, settle, targetOf } = inventory;
  await register('west', SEATTLE, { labels: { tier: 'gold' } });
  await settle();
  await client.patch(
    ClusterRecord,
    { name: 'west' },
    merge({
      metadata: { labels: { tier: null } },
      spec: { geoLocation: { city: 'Seattle', province: null }, region: null },
    }),
  );
  await settle();
  const target = await targetOf('west');
  const { labels = {} } = target?.metadata ?? {};
  assert.equal(labels['globalscheduler.com/city'], 'Seattle');
  for (const gone of ['tier', 'globalscheduler.com/province', 'topology.kubernetes.io/region']) {
    assert.equal(labels[gone], undefined, gone);
  }
  assert.equal(target?.spec.region, undefined);
  assert.equal(target?.spec.zones, undefined);
  await clock.advance(60_000);
  const { resourceVersion } = (await targetOf('west'))?.metadata ?? {};
  await client.patch(ClusterRecord, { name: 'west' }, merge({ spec: { serverPrice: 7 } }));
  await clock.advance(900_000);
  assert.equal((await targetOf('west'))?.metadata.resourceVersion, resourceVersion);
});

test('a target that is there already keeps what its owner wrote, and its owner may go on to write', async () => {
  await using inventory = await startInventory();
  const { client, register, settle, targetOf, conditionOf, messageOf } = inventory;
  const owner = {
    type: 'apply',
    fieldManager: 'owner',
    body: {
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      metadata: { name: 'west', labels: { team: 'a' } },
      spec: { syncMode: 'Pull', region: 'theirs', provider: 'globalscheduler' },
    },
  } as const;
  await register('west', SEATTLE);
  await client.patch(MemberCluster, { name: 'west' }, owner);
  await settle();
  const target = await targetOf('west');
  assert.equal(target?.spec.syncMode, 'Pull');
  assert.equal(target?.spec.region, 'theirs');
  assert.deepEqual(target?.spec.zones, ['us-west-1']);
  assert.equal(target?.metadata.labels?.team, 'a');
  assert.equal(target?.metadata.labels?.['globalscheduler.com/city'], 'Bellevue');
  assert.match(await conditionOf('west', 'ExecutionTarget'), /True FieldsOfOthers$/);
  assert.match(await messageOf('west', 'ExecutionTarget'), /differs in spec\.region, which others/);
  const { spec } = owner.body;
  const body = { ...owner.body, spec: { ...spec, region: 'us-west', provider: 'another' } };
  await client.patch(MemberCluster, { name: 'west' }, { ...owner, body });
  await settle();
  assert.equal((await targetOf('west'))?.spec.provider, 'another');
  assert.match(await messageOf('west', 'ExecutionTarget'), /differs in spec\.provider,/);
});

test('a target that somebody removes is made again', async () => {
  await using inventory = await startInventory();
  const { client, register, settle, targetOf } = inventory;
  await register('west', SEATTLE);
  await settle();
  const { uid } = (await targetOf('west'))?.metadata ?? {};
  await client.delete(MemberCluster, { name: 'west' });
  await settle(5000);
  const again = await targetOf('west');
  assert.ok(again !== undefined && again.metadata.uid !== uid);
});

test('a record goes only when its target is gone, and nothing takes it back into the inventory', async () => {
  await using inventory = await startInventory();
  const { client, clock, register, settle, targetOf, recordOf, conditionOf } = inventory;
  await register('west', SEATTLE);
  await settle();
  const body = { metadata: { finalizers: ['test/hold', 'karmada.io/cluster-controller'] } };
  await client.patch(MemberCluster, { name: 'west' }, merge(body));
  await client.delete(ClusterRecord, { name: 'west' });
  await clock.advance(60_000);
  assert.ok((await targetOf('west'))?.metadata.deletionTimestamp);
  assert.match(await conditionOf('west', 'ExecutionTarget'), /False Unregistering$/);
  await client.patch(MemberCluster, { name: 'west' }, merge({ metadata: { finalizers: [] } }));
  await clock.advance(60_000);
  assert.equal(await targetOf('west'), undefined);
  assert.equal(await recordOf('west'), undefined);
});

test('one that is unregistered as soon as it was registered leaves nothing behind', async () => {
  await using inventory = await startInventory();
  const { client, clock, register, targetOf, recordOf } = inventory;
  await register('west', SEATTLE);
  await client.delete(ClusterRecord, { name: 'west' });
  await clock.advance(60_000);
  assert.equal(await targetOf('west'), undefined);
  assert.equal(await recordOf('west'), undefined);
});

test('work in a cluster that will not come back is given up when the record says so', async () => {
  await using inventory = await startInventory();
  const { client, clock, register, settle, recordOf, targetOf, messageOf } = inventory;
  await register('west', SEATTLE);
  await settle();
  const finalizers = ['karmada.io/execution-controller'];
  const metadata = { namespace: 'karmada-es-west', name: 'w', finalizers };
  await client.create(Work, { metadata, spec: { workload: { manifests: [] } } });
  await client.delete(ClusterRecord, { name: 'west' });
  await clock.advance(60_000);
  assert.match(await messageOf('west', 'ExecutionTarget'), /annotate the record with (\S+)=true$/);
  const body = { metadata: { annotations: { 'globalscheduler.com/abandon': 'true' } } };
  await client.patch(ClusterRecord, { name: 'west' }, merge(body));
  await clock.advance(60_000);
  assert.equal(await targetOf('west'), undefined);
  assert.equal(await recordOf('west'), undefined);
});
