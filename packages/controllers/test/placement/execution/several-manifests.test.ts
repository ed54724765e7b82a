import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Work } from '@perigee/api/kinds/placement/work';
import { findCondition } from '@perigee/api/values/conditions';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { startFederation } from '../../support/federation.ts';
import { deployment } from '../../support/kinds.ts';

const REF = { namespace: 'karmada-es-m1', name: 'bundle' };

const part = (apiVersion: string, kind: string, object: { metadata: object }) => ({
  apiVersion,
  kind,
  ...object,
  metadata: {
    ...object.metadata,
    labels: { 'karmada.io/managed': 'true' },
    annotations: { 'work.karmada.io/namespace': REF.namespace, 'work.karmada.io/name': REF.name },
  },
});

const settings = part('v1', 'ConfigMap', { metadata: { namespace: 'default', name: 'settings' } });
const web = part('apps/v1', 'Deployment', deployment('web'));
const unknown = part('example.com/v1', 'Widget', { metadata: { namespace: 'default', name: 'w' } });

test('a Work can carry several objects, and tells of each', async () => {
  await using world = await startFederation();
  const { client, settle, member } = world;
  await client.create(Work, {
    metadata: { ...REF, finalizers: ['karmada.io/execution-controller'] },
    spec: { workload: { manifests: [settings, unknown, web] } },
  });
  await settle();
  assert.notEqual(await member('m1').find(ConfigMap, 'settings'), undefined);
  assert.notEqual(await member('m1').find(Deployment, 'web'), undefined);
  const partly = findCondition((await client.get(Work, REF)).status?.conditions, 'Applied');
  assert.match(partly?.message ?? '', /^Failed to apply all manifests \(2\/3\): .*Widget/);

  const body = { spec: { workload: { manifests: [settings, web] } } };
  await client.patch(Work, REF, { type: 'merge', body });
  await settle();
  const { status } = await client.get(Work, REF);
  assert.equal(findCondition(status?.conditions, 'Applied')?.status, 'True');
  assert.deepEqual(
    status?.manifestStatuses?.map(({ identifier, health }) => [
      identifier.ordinal,
      identifier.resource,
      health,
    ]),
    [
      [0, 'configmaps', 'Healthy'],
      [1, 'deployments', 'Unhealthy'],
    ],
  );

  await client.delete(Work, REF);
  await settle();
  assert.equal(await member('m1').find(ConfigMap, 'settings'), undefined);
  assert.equal(await member('m1').find(Deployment, 'web'), undefined);
  assert.deepEqual(
    (await world.works('m1')).filter(({ metadata }) => metadata.name === REF.name),
    [],
  );
});

test('what a Work brings that somebody wrote by hand follows it, and goes with it', async () => {
  await using world = await startFederation();
  const { client, settle, member } = world;
  const carrying = (a: string) => {
    const metadata = { namespace: 'default', name: 'settings' };
    return {
      workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a } }] },
    };
  };
  await client.create(Work, { metadata: REF, spec: carrying('1') });
  await settle();
  assert.deepEqual((await member('m1').find(ConfigMap, 'settings'))?.data, { a: '1' });
  await client.patch(Work, REF, { type: 'merge', body: { spec: carrying('2') } });
  await settle();
  const { status } = await client.get(Work, REF);
  assert.equal(findCondition(status?.conditions, 'Applied')?.status, 'True');
  assert.deepEqual((await member('m1').find(ConfigMap, 'settings'))?.data, { a: '2' });
  await client.delete(Work, REF);
  await settle();
  assert.equal(await member('m1').find(ConfigMap, 'settings'), undefined);
  assert.deepEqual((await client.list(Work, { namespace: REF.namespace })).items, []);
});
