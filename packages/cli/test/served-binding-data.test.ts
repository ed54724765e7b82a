import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import type { JsonObject } from '@perigee/schema/json';
import { ServedBindingData } from '../src/webhook/served-binding-data.ts';

const inDefault = (name: string) => ({ namespace: 'default', name });

const bindingOf = (name: string) => ({
  metadata: inDefault(`${name}-deployment`),
  spec: {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name },
    replicas: 1,
    placement: { clusterAffinity: { clusterNames: ['c1', 'c3'] } },
    conflictResolution: 'Abort',
  },
});

const shown = ({ metadata, spec }: Pick<ResourceBinding, 'metadata' | 'spec'>) => ({
  annotations: metadata.annotations ?? {},
  placement: spec.placement,
  suspension: spec.suspension,
});

test('a webhook makes of bindings what the embedded server makes of them', async (context) => {
  const clock = new VirtualClock();
  await using server = await startEmbeddedServer({ clock, listener: 'none' });
  const { client } = server;
  await using webhook = new ServedBindingData(client, clock);
  for (const name of ['c1', 'c2']) {
    await client.create(MemberCluster, { metadata: { name }, spec: { syncMode: 'Push' } });
  }
  const addWork = (name: string, labels = {}) =>
    client.create(Deployment, {
      metadata: { ...inDefault(name), labels },
      spec: {
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: 'm', image: 'i' }] },
        },
      },
    } as never);
  const addClaim = async (name: string, spec: object, boundDataSource?: string) => {
    await client.create(DataSourceClaim, {
      metadata: inDefault(name),
      spec: { system: 's', dataSourceType: 't', dataSourceName: 'd', ...spec } as never,
    });
    if (boundDataSource === undefined) return;
    const body = { status: { phase: 'Bound', boundDataSource } };
    const patch = { type: 'merge', body } as const;
    await client.patch(DataSourceClaim, inDefault(name), patch, { subresource: 'status' });
  };
  await client.create(DataSource, {
    metadata: { name: 'source' },
    spec: {
      system: 's',
      type: 't',
      name: 'd',
      locality: { clusterNames: ['c1', 'c2', 'c3'] },
    } as never,
  });
  /** Compares the binding in a create review, as stored, and in an update review. */
  const same = async (name: string) => {
    const draft = bindingOf(name);
    const asked = await webhook.carry(draft as never, undefined);
    const made = await client.create(ResourceBinding, draft as never);
    assert.deepEqual(shown(asked as never), shown(made));
    await clock.advance(0);
    assert.deepEqual(
      await webhook.carry(made as never, made as never),
      made as never as JsonObject,
    );
    const rewritten = { ...made, spec: { ...made.spec, placement: draft.spec.placement } };
    const again = await webhook.carry(rewritten as never, made as never);
    assert.deepEqual(shown(again as never), shown(made));
    return shown(made);
  };

  await context.test('without claims', async () => {
    await addWork('free');
    assert.deepEqual((await same('free')).annotations, {});
  });

  await context.test('with a claim that waits, of which nothing was heard yet', async () => {
    await addWork('waits');
    await addClaim('waits', {
      workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'waits' },
    });
    assert.deepEqual((await same('waits')).suspension, { scheduling: true });
  });

  await context.test('with a claim that has its data, by the labels of the work', async () => {
    await addWork('selected', { app: 'x' });
    await addClaim('selects', { workloadSelector: { matchLabels: { app: 'x' } } }, 'source');
    const { placement, annotations } = await same('selected');
    assert.deepEqual(placement, { clusterAffinity: { clusterNames: ['c1'] } });
    assert.equal(annotations['datadependency.volcano.sh/placement-injected'], 'true');
  });

  await context.test('where claims are not served', async () => {
    const name = 'datasourceclaims.datadependency.volcano.sh';
    await client.delete(CustomResourceDefinition, { name });
    await clock.advance(60_000);
    assert.equal(await getOrUndefined(client, CustomResourceDefinition, { name }), undefined);
    await using fresh = new ServedBindingData(client, clock);
    const draft = bindingOf('selected') as never as JsonObject;
    assert.equal(await fresh.carry(draft, undefined), draft);
  });
});
