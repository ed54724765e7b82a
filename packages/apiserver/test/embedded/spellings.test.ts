import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { startServer } from './embedded-fixture.ts';

const CLUSTERS = '/apis/globalscheduler.com/v1/clusters';

const cluster = (spec: JsonObject): JsonObject => ({
  apiVersion: 'globalscheduler.com/v1',
  kind: 'Cluster',
  metadata: { name: 'cluster1' },
  spec,
});

const CANONICAL = { type: 'kubernetes', ipAddress: '10.0.0.3', cpuCapacity: 8 };

test('a cluster in the spelling of the design is stored in the canonical one', async () => {
  await using api = await startServer();
  const design = cluster({ ipAdrress: '10.0.0.3', CPUCapacity: 8 });
  const created = await api.send('POST', `${CLUSTERS}?fieldValidation=Strict`, design);
  assert.equal(created.code, 201);
  assert.deepEqual(created.body.spec, CANONICAL);
  const { body } = await api.send('GET', `${CLUSTERS}/cluster1`);
  assert.deepEqual(body.spec, CANONICAL);
  const patch = { spec: { cpucapacity: 16 } };
  const type = 'application/merge-patch+json';
  const patched = await api.send('PATCH', `${CLUSTERS}/cluster1`, patch, type);
  assert.deepEqual(patched.body.spec, { ...CANONICAL, cpuCapacity: 16 });
  const again = cluster({ ipaddress: '10.0.0.4' });
  const metadata = patched.body.metadata as JsonObject;
  const put = await api.send('PUT', `${CLUSTERS}/cluster1`, { ...again, metadata });
  assert.deepEqual(put.body.spec, { type: 'kubernetes', ipAddress: '10.0.0.4' });
});

test('a cluster in the spelling of the design can be applied, again and again', async () => {
  await using api = await startServer();
  const apply = (spec: JsonObject) =>
    api.send(
      'PATCH',
      `${CLUSTERS}/cluster1?fieldManager=me`,
      cluster(spec),
      'application/apply-patch+yaml',
    );
  const first = await apply({ ipAdrress: '10.0.0.3', CPUCapacity: 8 });
  assert.equal(first.code, 201);
  assert.deepEqual(first.body.spec, CANONICAL);
  const second = await apply({ ipAdrress: '10.0.0.3', CPUCapacity: 8 });
  assert.deepEqual(second.body.metadata, first.body.metadata);
  const third = await apply({ ipAdrress: '10.0.0.5', CPUCapacity: 8 });
  assert.deepEqual(third.body.spec, { ...CANONICAL, ipAddress: '10.0.0.5' });
  const fourth = await apply({ CPUCapacity: 8 });
  assert.deepEqual(fourth.body.spec, { type: 'kubernetes', cpuCapacity: 8 });
  const { managedFields } = fourth.body.metadata as { managedFields: JsonObject[] };
  assert.deepEqual(
    managedFields.map(({ fieldsV1 }) => fieldsV1),
    [{ 'f:spec': { 'f:cpuCapacity': {} } }],
  );
});

test('two spellings that contradict each other are refused', async () => {
  await using api = await startServer();
  const { code, body } = await api.send(
    'POST',
    CLUSTERS,
    cluster({ ipAddress: '10.0.0.3', ipaddress: '10.0.0.4' }),
  );
  assert.equal(code, 422);
  assert.equal(
    body.message,
    'Cluster.globalscheduler.com "cluster1" is invalid: spec.ipaddress: Invalid value: "10.0.0.4": is another spelling of ipAddress, which is set to something else; keep one',
  );
});
