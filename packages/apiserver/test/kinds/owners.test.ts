import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { setUpBuiltinApi } from './builtin-api.ts';

/** The fields of the only manager, as kube-apiserver records them. */
const ownedFields = async (body: JsonObject): Promise<unknown> => {
  const { create } = await setUpBuiltinApi();
  const { metadata } = await create(body, true);
  const [entry] = (metadata as { managedFields?: JsonObject[] }).managedFields ?? [];
  return entry?.fieldsV1;
};

suite('who creates a built-in object', () => {
  test('owns nothing when nothing is set', async () => {
    assert.equal(await ownedFields({ apiVersion: 'v1', kind: 'ConfigMap' }), undefined);
  });

  test('does not own the frame that every object has', async () => {
    const spec = { selector: { app: 'a' }, ports: [{ port: 80 }] };
    const fields = (await ownedFields({ apiVersion: 'v1', kind: 'Service', spec })) as JsonObject;
    assert.deepEqual(Object.keys(fields), ['f:spec']);
    assert.equal((fields['f:spec'] as JsonObject)['.'], undefined);
  });

  test('does not own what the server writes', async () => {
    const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };
    const fields = await ownedFields({ apiVersion: 'batch/v1', kind: 'Job', spec: { template } });
    assert.deepEqual(Object.keys(fields as JsonObject), ['f:spec']);
    assert.ok(!JSON.stringify(fields).includes('controller-uid'));
  });
});
