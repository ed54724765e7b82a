import assert from 'node:assert/strict';
import { test } from 'node:test';
import { servedResources } from '../../src/crd/served-resources.ts';
import { setUpApi } from '../registry/registry-fixture.ts';
import { endpoint, endpointCrd, ref, V1, V2 } from './conversion-fixture.ts';

/** All of this was recorded from kube-apiserver 1.36.3. */
test('without a webhook, only fields that both versions know get from one to the other', async () => {
  const { client, registry } = await setUpApi();
  for (const resource of servedResources(endpointCrd({ strategy: 'None' }))) {
    registry.resources.serve(resource);
  }
  const created = await client.create(V2, endpoint('x', { host: 'h', extra: 'e', n: 1 }));
  assert.deepEqual(created.spec, { extra: 'e', n: 1 });
  await client.create(V1, endpoint('y', { hostPort: 'h:1' }));
  assert.deepEqual((await client.get(V2, ref('y'))).spec, { extra: 'one' });
  const { items } = await client.list(V1);
  assert.deepEqual(
    items.map(({ spec }) => spec),
    [
      { extra: 'e', n: 1 },
      { hostPort: 'h:1', extra: 'one' },
    ],
  );
});
