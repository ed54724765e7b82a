import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { ServiceAccount } from '@perigee/kubernetes/core/service-account';
import type { JsonObject } from '@perigee/schema/json';
import { namespaceController } from '../../src/cluster-controllers/namespace-controller.ts';
import { rootCaController } from '../../src/cluster-controllers/root-ca-controller.ts';
import { serviceAccountController } from '../../src/cluster-controllers/service-account-controller.ts';
import { openWorld } from './collector-fixture.ts';

const DataMap = ConfigMap as ResourceKind<
  KubeObject & { readonly data?: JsonObject },
  WrittenObject
>;
const CA = { name: 'kube-root-ca.crt', namespace: 'a' };

describe('every namespace', () => {
  test('has a service account from its beginning, and again when that is deleted', async () => {
    const world = await openWorld();
    const { client, settle } = world;
    await using _ = await world.run(serviceAccountController());
    await client.create(Namespace, { metadata: { name: 'c' } });
    await settle();
    const { items } = await client.list(ServiceAccount);
    assert.deepEqual(
      items.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
      ['a/default', 'b/default', 'c/default', 'default/default'],
    );
    const before = await client.get(ServiceAccount, { name: 'default', namespace: 'a' });
    await client.delete(ServiceAccount, { name: 'default', namespace: 'a' });
    await settle();
    const after = await client.get(ServiceAccount, { name: 'default', namespace: 'a' });
    assert.notEqual(after.metadata.uid, before.metadata.uid);
  });

  test('gets nothing any more once it ends', async () => {
    const world = await openWorld();
    const { client, settle } = world;
    await using _ = await world.run(
      serviceAccountController(),
      rootCaController('PEM'),
      namespaceController(),
    );
    await settle();
    await client.delete(Namespace, { name: 'a' });
    await settle();
    assert.equal(await world.find(Namespace, 'a'), undefined);
    const { items } = await client.list(ServiceAccount, { namespace: 'a' });
    assert.deepEqual(items, []);
  });

  test('knows the authority of the server, whatever others write there', async () => {
    const world = await openWorld();
    const { client, settle } = world;
    await client.create(ConfigMap, { metadata: { name: 'other', namespace: 'a' } });
    await using _ = await world.run(rootCaController('PEM'));
    await settle();
    const made = await client.get(DataMap, CA);
    assert.deepEqual(made.data, { 'ca.crt': 'PEM' });
    assert.deepEqual(Object.keys(made.metadata.annotations ?? {}), ['kubernetes.io/description']);
    const body = { data: { 'ca.crt': 'FALSE', more: 'x' }, metadata: { labels: { own: 'yes' } } };
    await client.patch(ConfigMap, CA, { type: 'merge', body });
    await settle();
    const mended = await client.get(DataMap, CA);
    assert.deepEqual(mended.data, { 'ca.crt': 'PEM' });
    assert.deepEqual(mended.metadata.labels, { own: 'yes' });
    await client.delete(ConfigMap, CA);
    await settle();
    assert.deepEqual((await client.get(DataMap, CA)).data, { 'ca.crt': 'PEM' });
  });

  test('learns of a new authority when a server starts with one', async () => {
    const world = await openWorld();
    const first = await world.run(rootCaController('OLD'));
    await world.settle();
    await first.stop();
    await using _ = await world.run(rootCaController('NEW'));
    await world.settle();
    assert.deepEqual((await world.client.get(DataMap, CA)).data, { 'ca.crt': 'NEW' });
  });

  test('is left alone while all is right', async () => {
    const world = await openWorld();
    await using _ = await world.run(serviceAccountController(), rootCaController('PEM'));
    await world.settle();
    const { revision } = world.registry.store;
    await world.clock.advance(3_600_000);
    assert.equal(world.registry.store.revision, revision);
  });
});
