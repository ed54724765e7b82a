import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { deleteObject } from '../../src/registry/delete.ts';
import { listObjects } from '../../src/registry/list.ts';
import { widgetCrd } from '../crd/widget-crd.ts';
import { refused } from '../registry/registry-fixture.ts';
import { resourceOf, setUpBuiltinApi } from './builtin-api.ts';

const PODS = resourceOf({ apiVersion: 'v1', kind: 'Pod' });

const pod = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'nginx' }], ...spec },
});

const daemonSet = (image: string, meta: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'x', ...meta },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image }] },
    },
  },
});

const service = (port: number, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  spec: { ports: [{ port }], ...spec },
});

test('pods can be listed by their node', async () => {
  const { registry, create } = await setUpBuiltinApi();
  await create(pod('a', { nodeName: 'n1' }));
  await create(pod('b', { nodeName: 'n2' }));
  const { entries } = await listObjects(registry, PODS, { fieldSelector: 'spec.nodeName=n2' });
  assert.deepEqual(
    entries.map(({ key }) => key),
    ['default/b'],
  );
});

test('a pod has the time that it asks for to come to its end', async () => {
  const { registry, create } = await setUpBuiltinApi();
  await create(pod('a', { nodeName: 'n1', terminationGracePeriodSeconds: 7 }));
  const { isGone, object } = await deleteObject(registry, PODS, {
    namespace: 'default',
    name: 'a',
  });
  assert.equal(isGone, false);
  assert.equal((object.metadata as JsonObject).deletionGracePeriodSeconds, 7);
});

test('a pod that runs nowhere goes at once', async () => {
  const { registry, create } = await setUpBuiltinApi();
  await create(pod('a'));
  const { isGone } = await deleteObject(registry, PODS, { namespace: 'default', name: 'a' });
  assert.equal(isGone, true);
});

test('config maps count no generations', async () => {
  const { create } = await setUpBuiltinApi();
  const { metadata } = await create({ apiVersion: 'v1', kind: 'ConfigMap' });
  assert.equal((metadata as JsonObject).generation, undefined);
});

test('a deployment counts changes of its annotations, and a daemon set does not', async () => {
  const { create, update } = await setUpBuiltinApi();
  for (const [kind, counted] of [
    ['Deployment', 2],
    ['DaemonSet', 1],
  ] as const) {
    await create({ ...daemonSet('a'), kind });
    const noted = { ...daemonSet('a', { annotations: { note: 'x' } }), kind };
    const { metadata } = await update(noted, false);
    assert.equal((metadata as JsonObject).generation, counted, kind);
  }
});

test('a daemon set counts its templates', async () => {
  const { create, update } = await setUpBuiltinApi();
  const countOf = ({ metadata }: JsonObject) =>
    (metadata as { annotations: JsonObject }).annotations[
      'deprecated.daemonset.template.generation'
    ];
  await create(daemonSet('a'));
  assert.equal(countOf(await update(daemonSet('a', { labels: { b: 'c' } }), false)), '1');
  assert.equal(countOf(await update(daemonSet('b'), false)), '2');
});

test('a service keeps its address when an update leaves it out', async () => {
  const { create, update } = await setUpBuiltinApi();
  await create(service(80, { clusterIP: '10.0.0.7' }));
  const { spec } = await update(service(81));
  const { clusterIP, clusterIPs } = spec as JsonObject;
  assert.deepEqual({ clusterIP, clusterIPs }, { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'] });
});

test('custom resource definitions are completed and checked', async () => {
  const { create } = await setUpBuiltinApi();
  const { spec } = await create(widgetCrd(), true);
  assert.deepEqual((spec as JsonObject).conversion, { strategy: 'None' });
  await assert.rejects(create(widgetCrd({ versions: [] }), true), refused(422, 'Invalid'));
});

for (const spec of [
  { serviceAccountName: 0 },
  { initContainers: {} },
  { hostNetwork: '' },
  { nodeSelector: [] },
]) {
  test(`a pod with ${JSON.stringify(spec)} is refused, though the value is empty`, async () => {
    const { create } = await setUpBuiltinApi();
    await assert.rejects(create(pod('a', spec), true), refused(422, 'Invalid'));
  });
}
