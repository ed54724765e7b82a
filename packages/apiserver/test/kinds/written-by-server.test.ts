import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { setUpBuiltinApi } from './builtin-api.ts';

const POD = { containers: [{ name: 'c', image: 'i' }] };

test('a pod with gates tells that nobody may place it yet', async () => {
  const { create } = await setUpBuiltinApi();
  const spec = { ...POD, schedulingGates: [{ name: 'example.com/gate' }] };
  const { status } = await create({ apiVersion: 'v1', kind: 'Pod', spec });
  const [condition] = (status as { conditions: JsonObject[] }).conditions;
  assert.equal(condition?.type, 'PodScheduled');
  assert.equal(condition?.reason, 'SchedulingGated');
});

test('the generation of a priority class does not count its changes', async () => {
  const { create, update } = await setUpBuiltinApi();
  const body = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', value: 1 };
  await create(body);
  const { metadata } = await update({ ...body, description: 'other' });
  assert.equal((metadata as JsonObject).generation, 1);
});

test('who registers a node does not own what it reports about itself', async () => {
  const { create } = await setUpBuiltinApi();
  const { status, metadata } = await create({
    apiVersion: 'v1',
    kind: 'Node',
    spec: { providerID: 'x://1' },
    status: { capacity: { cpu: '1' } },
  });
  assert.deepEqual((status as JsonObject).capacity, { cpu: '1' });
  const [entry] = (metadata as { managedFields: JsonObject[] }).managedFields;
  assert.deepEqual(entry?.fieldsV1, { 'f:spec': { 'f:providerID': {} } });
});

test('who creates a daemon set owns the count of its templates', async () => {
  const { create } = await setUpBuiltinApi();
  const template = { metadata: { labels: { a: 'b' } }, spec: POD };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  const { metadata } = await create({ apiVersion: 'apps/v1', kind: 'DaemonSet', spec });
  const { annotations, managedFields } = metadata as JsonObject;
  assert.deepEqual(annotations, { 'deprecated.daemonset.template.generation': '1' });
  assert.match(JSON.stringify(managedFields), /f:deprecated\.daemonset\.template\.generation/);
});
