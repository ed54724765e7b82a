import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import { startInventory } from '../../support/inventory.ts';

const SECRET = { namespace: 'clusters', name: 'west' };
const OWN = { apiEndpoint: 'https://10.0.0.3:6443', secretRef: SECRET };
const EVIL = 'https://10.6.6.6:6443';

const merge = (body: object) => ({ type: 'merge', body }) as const;
const MALLORY = { fieldManager: 'mallory' };

type Inventory = Awaited<ReturnType<typeof startInventory>>;

/** The address and the Secret of the target. */
const wayOf = async ({ targetOf }: Inventory) => {
  const { apiEndpoint, proxyURL, secretRef } = (await targetOf('west'))?.spec ?? {};
  return { apiEndpoint, proxyURL, secretRef };
};

const isWithheld = async ({ conditionOf, messageOf }: Inventory, field: string): Promise<void> => {
  assert.match(await conditionOf('west', 'ExecutionTarget'), /False CredentialsWithheld$/);
  assert.match(
    await messageOf('west', 'ExecutionTarget'),
    new RegExp(`others have written ${field}`),
  );
};

test('a Secret that was taken out of a target does not come back beside another address', async () => {
  await using inventory = await startInventory();
  const { client, register, settle } = inventory;
  await register('west', OWN);
  await settle();
  assert.deepEqual((await wayOf(inventory)).secretRef, SECRET);
  // Names no Secret, so that whoever may write targets may write this.
  const spec = { secretRef: null, apiEndpoint: EVIL };
  await client.patch(MemberCluster, { name: 'west' }, merge({ spec }), MALLORY);
  await settle();
  assert.equal((await wayOf(inventory)).secretRef, undefined);
  await isWithheld(inventory, 'spec.apiEndpoint');
  await client.patch(
    MemberCluster,
    { name: 'west' },
    merge({ spec: { apiEndpoint: null } }),
    MALLORY,
  );
  await settle();
  assert.deepEqual(await wayOf(inventory), { ...OWN, proxyURL: undefined }, 'all is well again');
});

for (const type of ['kubernetes', 'virtual']) {
  test(`the Secret of a record does not go through the proxy of others: ${type}`, async () => {
    await using inventory = await startInventory();
    const { client, register, settle } = inventory;
    await register('west', { type, ...OWN });
    await settle();
    const proxyURL = 'http://10.6.6.6:3128';
    const spec = { secretRef: null, proxyURL, insecureSkipTLSVerification: true };
    await client.patch(MemberCluster, { name: 'west' }, merge({ spec }), MALLORY);
    await settle();
    assert.equal((await wayOf(inventory)).secretRef, undefined);
    await isWithheld(inventory, 'spec.proxyURL, spec.insecureSkipTLSVerification');
  });
}

test('the address of a record does not go to the Secret of a target', async () => {
  await using inventory = await startInventory();
  const { client, settle } = inventory;
  const spec = { syncMode: 'Push', secretRef: SECRET } as const;
  await client.create(
    MemberCluster,
    { metadata: { name: 'west' }, spec },
    { fieldManager: 'owner' },
  );
  await settle();
  const body = { spec: { secretRef: null, apiEndpoint: EVIL } };
  await client.patch(ClusterRecord, { name: 'west' }, merge(body), MALLORY);
  await settle();
  const way = { apiEndpoint: undefined, proxyURL: undefined, secretRef: SECRET };
  assert.deepEqual(await wayOf(inventory), way);
});

test('a record whose address is not that of its kubeconfig says so, and not which that is', async () => {
  await using inventory = await startInventory();
  const { client, register, settle, conditionOf, messageOf } = inventory;
  const kubeconfig = JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k' } }],
    clusters: [{ name: 'k', cluster: { server: OWN.apiEndpoint } }],
  });
  await client.create(Namespace, { metadata: { name: SECRET.namespace } });
  await client.create(Secret, {
    metadata: SECRET,
    data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
  });
  await register('west', { ...OWN, apiEndpoint: EVIL });
  await settle();
  assert.equal(await conditionOf('west'), 'NotReady: False CredentialsInvalid');
  const message = await messageOf('west');
  assert.match(message, /^spec.apiEndpoint of cluster west is not the server of the kubeconfig/);
  assert.ok(!message.includes('10.0.0.3'));
});
