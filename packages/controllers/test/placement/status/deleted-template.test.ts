import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredObjectOf } from '@perigee/api/meta/resource-kind';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { aggregateTemplate } from '../../../src/placement/binding-status/aggregate-template.ts';
import { startFederation } from '../../support/federation.ts';
import { deployment } from '../../support/kinds.ts';

test('a template that was deleted before the cache was told gets no status, and nothing fails', async () => {
  await using world = await startFederation({ members: [] });
  const { client } = world;
  const template: StoredObjectOf<typeof Deployment> = await client.create(
    Deployment,
    deployment('web', 2),
  );
  await client.delete(Deployment, { namespace: 'default', name: 'web' });
  const warnings: string[] = [];
  const context = {
    client,
    events: { warning: (_: unknown, reason: string) => warnings.push(reason) },
  } as never;
  const stale = { read: async () => ({ kind: Deployment, template }) } as never;
  const interpreter = createInterpreter(nativeKinds);
  const resource = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: 'default',
    name: 'web',
  };
  const binding = { metadata: { namespace: 'default' }, spec: { resource } } as never;
  const item = { clusterName: 'm1', applied: true, status: { replicas: 2, readyReplicas: 2 } };
  await aggregateTemplate(binding, [item] as never, { interpreter, templates: stale }, context);
  assert.deepEqual(warnings, []);
});
