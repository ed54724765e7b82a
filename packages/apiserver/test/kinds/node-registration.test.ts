import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { setUpBuiltinApi } from './builtin-api.ts';

test('a node is registered together with what it has', async () => {
  const { create } = await setUpBuiltinApi();
  const node = await create({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n' },
    status: { capacity: { cpu: '4' } },
  });
  assert.deepEqual((node.status as JsonObject).capacity, { cpu: '4' });
});

test('a pod gets its status from others', async () => {
  const { create } = await setUpBuiltinApi();
  const pod = await create({
    apiVersion: 'v1',
    kind: 'Pod',
    spec: { containers: [{ name: 'c', image: 'i' }] },
    status: { phase: 'Failed' },
  });
  assert.equal((pod.status as JsonObject).phase, 'Pending');
});
