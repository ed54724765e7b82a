import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { leftoversController } from '@perigee/controllers/clusters/leftovers/leftovers-controller';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { setReady, startFederation } from '../../support/federation.ts';
import { boundTo } from '../../support/kinds.ts';

const BINDING = { namespace: 'default', name: 'settings-configmap' };
const MERGE = 'merge' as const;

test('a cluster that was removed by force and comes back says what was left there', async () => {
  await using world = await startFederation({
    members: ['m1', 'm2'],
    further: (members) => [leftoversController({ members })],
  });
  const { client, settle } = world;
  const leftovers = async () =>
    findCondition(
      (await client.get(MemberCluster, { name: 'm1' })).status?.conditions,
      'Leftovers',
    );
  await client.create(ConfigMap, {
    metadata: { namespace: 'default', name: 'settings' },
  } as never);
  await world.bind(boundTo('v1', 'ConfigMap', 'settings'), [{ name: 'm1' }, { name: 'm2' }]);
  await settle(60_000);
  assert.equal(await leftovers(), undefined, 'nothing is left of what is looked after');

  const body = { metadata: { annotations: { 'globalscheduler.com/abandon': 'true' } } };
  await client.patch(MemberCluster, { name: 'm1' }, { type: MERGE, body });
  await client.delete(MemberCluster, { name: 'm1' });
  const elsewhere = { spec: { clusters: [{ name: 'm2' }] } };
  await client.patch(ResourceBinding, BINDING, { type: MERGE, body: elsewhere });
  await settle(10_000);
  await client.create(MemberCluster, { metadata: { name: 'm1' }, spec: { syncMode: 'Push' } });
  await setReady(client, 'm1', 'True');
  await settle(60_000);
  const { reason, message = '' } = (await leftovers()) ?? {};
  assert.equal(reason, 'ObjectsLeft');
  assert.match(message, /names it: ConfigMap default\/settings\. A policy/);

  const both = { spec: { clusters: [{ name: 'm1' }, { name: 'm2' }] } };
  await client.patch(ResourceBinding, BINDING, { type: MERGE, body: both });
  await settle(1_200_000);
  assert.equal(await leftovers(), undefined, 'it is looked after again');
});
