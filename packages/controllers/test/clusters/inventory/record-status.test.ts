import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Client } from '@perigee/kube/client/client';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Node } from '@perigee/kubernetes/core/node';
import { Secret } from '@perigee/kubernetes/core/secret';
import { startInventory } from '../../support/inventory.ts';

const REF = { namespace: 'clusters', name: 'west' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const addSecret = async (client: Client, data: { readonly [key: string]: string }) => {
  await client.create(Namespace, { metadata: { name: REF.namespace } });
  await client.create(Secret, { metadata: REF, data });
};

test('a cluster that answers is ready, with what it has and when it was seen', async () => {
  await using inventory = await startInventory();
  const { clock, addMember, register, settle, recordOf, conditionOf } = inventory;
  const member = addMember('west');
  await member.admin.create(Node, { metadata: { name: 'n1' } });
  const status = {
    allocatable: { cpu: '4', memory: '8Gi' },
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  const patch = { type: 'merge', body: { status } } as const;
  await member.admin.patch(Node, { name: 'n1' }, patch, { subresource: 'status' });
  await register('west');
  await settle();
  assert.equal(await conditionOf('west'), 'Ready: True ClusterReady');
  const seen = (await recordOf('west'))?.status;
  assert.deepEqual(seen?.capacity, { cpu: '4', memory: '8Gi' });
  assert.deepEqual(seen?.allocatable, { cpu: '4', memory: '8Gi' });
  assert.equal(seen?.observedGeneration, 1);
  assert.ok(seen?.lastSeenTime);
  await clock.advance(400_000);
  assert.ok(((await recordOf('west'))?.status?.lastSeenTime ?? '') > seen.lastSeenTime);
});

test('nothing is written while nothing happens, but for the time at which it was seen', async () => {
  await using inventory = await startInventory();
  const { clock, addMember, register, recordOf } = inventory;
  addMember('west');
  await register('west');
  await clock.advance(30_000);
  const version = async () => (await recordOf('west'))?.metadata.resourceVersion;
  const before = await version();
  await clock.advance(200_000);
  assert.equal(await version(), before);
  const versions = new Set<string | undefined>();
  for (let minutes = 0; minutes < 30; minutes += 1) {
    await clock.advance(60_000);
    versions.add(await version());
  }
  assert.ok(versions.size >= 5 && versions.size <= 8, `${versions.size} writes in half an hour`);
});

test('one that stops answering is unreachable, says why, is asked less and less, and comes back', async () => {
  await using inventory = await startInventory();
  const { clock, addMember, register, conditionOf, messageOf, recordOf } = inventory;
  const member = addMember('west');
  await register('west');
  await clock.advance(30_000);
  const { lastSeenTime } = (await recordOf('west'))?.status ?? {};
  member.connection = 'cut';
  await clock.advance(60_000);
  assert.equal(await conditionOf('west'), 'Unreachable: False ClusterUnreachable');
  assert.equal(await messageOf('west'), 'the member does not answer');
  assert.equal((await recordOf('west'))?.status?.lastSeenTime, lastSeenTime);
  member.connection = 'fine';
  await clock.advance(60_000);
  assert.equal(await conditionOf('west'), 'Ready: True ClusterReady');
});

test('the assignment of a home scheduler stays what it is', async () => {
  await using inventory = await startInventory();
  const { client, clock, addMember, register, recordOf, conditionOf } = inventory;
  await register('west');
  const body = { status: { homeScheduler: 'scheduler1', bindingEpoch: 4 } };
  const options = { subresource: 'status', fieldManager: 'assignment' };
  await client.patch(ClusterRecord, { name: 'west' }, { type: 'merge', body }, options);
  addMember('west');
  await clock.advance(60_000);
  assert.equal(await conditionOf('west'), 'Ready: True ClusterReady');
  const { homeScheduler, bindingEpoch } = (await recordOf('west'))?.status ?? {};
  assert.deepEqual({ homeScheduler, bindingEpoch }, body.status);
});

test('what is missing to reach a cluster is named, from no Secret to one that is no use', async () => {
  await using inventory = await startInventory();
  const { client, register, settle, conditionOf, messageOf } = inventory;
  await register('bare');
  await register('west', { secretRef: REF });
  await settle();
  assert.equal(await conditionOf('bare'), 'NotReady: False CredentialsMissing');
  assert.match(await messageOf('bare'), /spec\.secretRef names no Secret/);
  assert.equal(await conditionOf('west'), 'NotReady: False SecretMissing');
  assert.match(
    await messageOf('west'),
    /there is no Secret clusters\/west, .*create it with the key/,
  );
  await addSecret(client, { kubeconfig: base64('clusters: [') });
  await settle(20_000);
  assert.equal(await conditionOf('west'), 'NotReady: False CredentialsInvalid');
  assert.match(await messageOf('west'), /the Secret clusters\/west is not valid YAML/);
  await client.patch(Secret, REF, {
    type: 'merge',
    body: { data: { kubeconfig: null, token: base64('t') } },
  });
  await settle(60_000);
  assert.match(await messageOf('west'), /cluster west has no address: set spec\.apiEndpoint/);
});

test('a cluster whose agent reports is as its target says', async () => {
  await using inventory = await startInventory();
  const { client, settle, conditionOf, recordOf } = inventory;
  await client.create(MemberCluster, { metadata: { name: 'edge' }, spec: { syncMode: 'Pull' } });
  await settle();
  assert.equal(await conditionOf('edge'), 'Pending: Unknown NotSeenYet');
  const report = async (status: string) => {
    const condition = {
      type: 'Ready',
      status,
      reason: 'Test',
      message: 'the agent keeps silent',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const patch = { type: 'merge', body: { status: { conditions: [condition] } } } as const;
    await client.patch(MemberCluster, { name: 'edge' }, patch, { subresource: 'status' });
    await settle();
  };
  await report('True');
  assert.equal(await conditionOf('edge'), 'Ready: True ClusterReady');
  assert.ok((await recordOf('edge'))?.status?.lastSeenTime);
  await report('Unknown');
  assert.equal(await conditionOf('edge'), 'Unknown: Unknown AgentSilent');
});
