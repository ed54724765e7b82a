import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { JsonObject } from '@perigee/schema/json';
import { createInProcessClient } from '../../src/client/in-process-client.ts';
import { describeApi } from '../../src/http/api-documents.ts';
import type { ServedApi } from '../../src/http/served-api.ts';
import { ResourceCatalog } from '../../src/registry/resource-catalog.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { at, ConfigMap, configMaps, Namespace, namespaces } from '../registry/registry-fixture.ts';
import { CONFIG_MAPS, serveApi } from './http-fixture.ts';

/** A server with further APIs on one store of their own. */
const serveClusters = async () => {
  const store = createMemoryStore();
  const members = new Map<string, ServedApi>();
  for (const cluster of ['m1', 'm2']) {
    const resources = new ResourceCatalog([namespaces, configMaps]);
    const registry = { store, clock: realClock, resources, cluster };
    await createInProcessClient(registry).create(Namespace, { metadata: { name: 'a' } });
    const prefix = `/clusters/${cluster}`;
    const options = { serverAddress: '', version: 'v1.36.0+test', prefix };
    members.set(cluster, { registry, documents: describeApi(resources, options) });
  }
  return serveApi({ api: { clusters: (name) => members.get(name) } });
};

test('each cluster of a server has objects of its own', async () => {
  await using api = await serveClusters();
  const clientOf = (path: string) =>
    createHttpClient({ server: api.server.url + path }, { clock: realClock });
  await using root = clientOf('');
  await using m1 = clientOf('/clusters/m1');
  await using m2 = clientOf('/clusters/m2');
  for (const [client, value] of [
    [root, 'root'],
    [m1, 'one'],
    [m2, 'two'],
  ] as const) {
    await client.create(ConfigMap, { metadata: at('m'), data: { value } });
  }
  assert.deepEqual((await m1.get(ConfigMap, at('m'))).data, { value: 'one' });
  assert.deepEqual((await m2.get(ConfigMap, at('m'))).data, { value: 'two' });
  await m1.delete(ConfigMap, at('m'));
  assert.equal((await m2.list(ConfigMap)).items.length, 1);
  assert.equal((await root.list(ConfigMap)).items.length, 1);
  assert.deepEqual(
    (await m1.discover()).map(({ plural }) => plural),
    ['configmaps', 'namespaces'],
  );
  const index = await api.call('GET', '/clusters/m1/openapi/v3');
  const { serverRelativeURL } =
    (index.body.paths as { [path: string]: JsonObject })['api/v1'] ?? {};
  assert.match(String(serverRelativeURL), /^\/clusters\/m1\/openapi\/v3\/api\/v1\?hash=/);
  assert.equal((await api.call('GET', `/clusters/none${CONFIG_MAPS}`)).code, 404);
});
