import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { FailedError } from '../../src/errors.ts';
import type { Perigee } from '../../src/perigee.ts';
import { NAMESPACE, perigeeOver } from '../perigee-over.ts';

const TIME = '2026-01-01T00:00:00Z';

describe('the objects of a kind', () => {
  let server: EmbeddedServer;
  let client: Client;
  let perigee: Perigee;

  before(async () => {
    server = await startEmbeddedServer({ clock });
    ({ client } = server);
    perigee = perigeeOver(client);
    await client.create(Namespace, { metadata: { name: 'other' } });
  });
  after(() => server[Symbol.asyncDispose]());

  const writeStatus = (kind: ResourceKind, name: string, status: object): Promise<unknown> => {
    const ref = kind.scope === 'Cluster' ? { name } : { namespace: NAMESPACE, name };
    return client.patch(kind, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
  };

  it('are applied, read, listed and deleted', async () => {
    const mounts = [{ mountPoint: 's3://bucket/raw' }];
    const labels = { team: 'blue' };
    await perigee.datasets.apply('raw', { mounts }, { labels, annotations: { why: 'a test' } });
    await perigee.datasets.apply('far', { mounts }, { namespace: 'other', labels });
    await perigee.datasets.apply('dry', { mounts }, { dryRun: true });
    const raw = await perigee.datasets.get('raw');
    assert.equal(raw.metadata.namespace, NAMESPACE);
    assert.equal(raw.metadata.annotations?.why, 'a test');
    const namesOf = async (options: object): Promise<readonly string[]> =>
      (await perigee.datasets.list(options)).map(({ metadata }) => metadata.name).toSorted();
    assert.deepEqual(await namesOf({}), ['raw']);
    assert.deepEqual(await namesOf({ namespace: 'other' }), ['far']);
    assert.deepEqual(await namesOf({ everywhere: true, labelSelector: 'team=blue' }), [
      'far',
      'raw',
    ]);
    assert.deepEqual(await namesOf({ everywhere: true, labelSelector: 'team=red' }), []);
    await perigee.datasets.delete('far', { namespace: 'other' });
    await perigee.datasets.delete('never-there');
    await assert.rejects(perigee.datasets.get('far', { namespace: 'other' }), /not found/);
  });

  it('are watched: those that are there, and then every change', async () => {
    await perigee.queues.apply('first', { capability: { cpu: '4' } });
    const events: string[] = [];
    const aborted = new AbortController();
    for await (const event of perigee.queues.watch({ signal: aborted.signal })) {
      if (event.type === 'BOOKMARK') continue;
      events.push(`${event.type} ${event.object.metadata.name}`);
      if (events.length === 1) await perigee.queues.apply('second', { capability: { cpu: '1' } });
      if (events.length === 2) await perigee.queues.delete('second');
      if (events.length === 3) break;
    }
    assert.deepEqual(events, ['ADDED first', 'ADDED second', 'DELETED second']);
  });

  it('are waited for: a claim until it is bound, within a time', async () => {
    await perigee.claims.apply('orders', {
      system: 'hive',
      dataSourceType: 'table',
      dataSourceName: 'sales.orders',
      workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    });
    await assert.rejects(perigee.claims.bound('orders', { timeoutMs: 20 }), {
      name: 'TimeoutError',
    });
    const bound = perigee.claims.bound('orders');
    await writeStatus(DataSourceClaim, 'orders', { phase: 'Bound', boundDataSource: 'orders' });
    assert.equal((await bound).status?.phase, 'Bound');
    const stopped = perigee.claims.until('orders', () => false, { signal: AbortSignal.abort() });
    await assert.rejects(stopped, { name: 'AbortError' });
  });

  it('a trigger is fired, and fails with the count of the targets that failed', async () => {
    const spec = { targetSelectors: [{ kind: 'Deployment' }] };
    const counts = { total: 2, pending: 0, held: 0, triggered: 0, scheduled: 2, replicasMoved: 0 };
    const rest = { noChange: 0, skipped: 0, failed: 0 };
    const well = perigee.triggers.fire('well', spec);
    const finish = async (name: string, failed: number): Promise<void> => {
      for await (const { object } of client.watch(ScheduleTrigger, {})) {
        if ('name' in object.metadata && object.metadata.name === name) break;
      }
      const all = { ...counts, ...rest, failed };
      await writeStatus(ScheduleTrigger, name, { finishTime: TIME, counts: all });
    };
    await finish('well', 0);
    assert.equal((await well).status?.finishTime, TIME);
    const badly = perigee.triggers.fire('badly', spec).catch((error: unknown) => error);
    await finish('badly', 2);
    const error = await badly;
    assert.ok(error instanceof FailedError, String(error));
    assert.equal(error.message, '2 targets of the trigger badly failed');
  });
});

describe('the inventory', () => {
  let server: EmbeddedServer;
  let client: Client;
  let perigee: Perigee;

  before(async () => {
    server = await startEmbeddedServer({ clock });
    ({ client } = server);
    perigee = perigeeOver(client);
  });
  after(() => server[Symbol.asyncDispose]());

  const VIRTUAL = { type: 'virtual', region: { region: 'eu' } } as const;

  it('registers a cluster once, and knows it again', async () => {
    const labels = { tier: 'edge' };
    await perigee.clusters.register('edge', VIRTUAL, { labels, dryRun: true });
    assert.deepEqual(await perigee.clusters.list(), []);
    const first = await perigee.clusters.register('edge', VIRTUAL, { labels });
    const again = await perigee.clusters.register('edge', VIRTUAL, { labels });
    assert.equal(again.metadata.resourceVersion, first.metadata.resourceVersion);
    assert.deepEqual(again.metadata.labels, labels);
  });

  it('refuses a name that another cluster has, and one that is just leaving', async () => {
    await perigee.clusters.register('taken', VIRTUAL);
    const other = { ...VIRTUAL, region: { region: 'us' } };
    await assert.rejects(perigee.clusters.register('taken', other), /the name taken is taken/);
    const { region } = (await perigee.clusters.get('taken')).spec;
    assert.deepEqual(region, { region: 'eu' });
    const body = { metadata: { finalizers: ['test.example/held'] } };
    await client.patch(ClusterRecord, { name: 'taken' }, { type: 'merge', body });
    assert.equal((await perigee.clusters.unregister('taken')).outcome, 'leaving');
    await assert.rejects(perigee.clusters.register('taken', VIRTUAL), /is being unregistered/);
    assert.equal((await perigee.clusters.unregister('taken', { force: true })).outcome, 'leaving');
    const { metadata } = await perigee.clusters.get('taken');
    assert.ok(Object.values(metadata.annotations ?? {}).includes('true'), 'it waits for no work');
  });

  it('passes on what the server refuses', async () => {
    await assert.rejects(perigee.clusters.register('wrong', { type: 'mainframe' } as never), {
      name: 'ApiError',
    });
  });

  it('waits until a cluster is ready, and unregisters it', async () => {
    await perigee.clusters.register('soon', VIRTUAL);
    const ready = perigee.clusters.ready('soon', { timeoutMs: 10_000 });
    const patch = { type: 'merge', body: { status: { phase: 'Ready' } } } as const;
    await client.patch(ClusterRecord, { name: 'soon' }, patch, { subresource: 'status' });
    assert.equal((await ready).status?.phase, 'Ready');
    assert.equal((await perigee.clusters.unregister('soon')).outcome, 'removed');
    await assert.rejects(perigee.clusters.unregister('soon'), /there is no cluster/i);
  });
});
