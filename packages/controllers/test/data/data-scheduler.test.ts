import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource, type DataSourceSpec } from '@perigee/api/kinds/data/data-source';
import {
  DataSourceClaim,
  type DataSourceClaimSpec,
} from '@perigee/api/kinds/data/data-source-claim';
import { findCondition } from '@perigee/api/values/conditions';
import { dataSchedulerController } from '@perigee/controllers/data/data-scheduler-controller';
import { dataSourceController } from '@perigee/controllers/data/data-source-controller';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { addReadyCluster, setReady } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';

const controllers = () => [dataSchedulerController(), dataSourceController()];

describe('the data scheduler', () => {
  let plane: Awaited<ReturnType<typeof startControlPlane>>;
  before(async () => {
    plane = await startControlPlane({ controllers });
    for (const name of ['c1', 'c2', 'c3']) await addReadyCluster(plane.client, name);
  });
  after(() => plane[Symbol.asyncDispose]());

  const addSource = (name: string, data: string, spec: Partial<DataSourceSpec> = {}) =>
    plane.client.create(DataSource, {
      metadata: { name },
      spec: {
        system: 'hive',
        type: 'table',
        name: data,
        locality: { clusterNames: ['c1'] },
        ...spec,
      } as never,
    });
  const addClaim = (name: string, spec: Partial<DataSourceClaimSpec>, namespace = 'default') =>
    plane.client.create(DataSourceClaim, {
      metadata: { namespace, name },
      spec: { system: 'hive', dataSourceType: 'table', workloadSelector: {}, ...spec } as never,
    });
  const change = (kind: typeof DataSource | typeof DataSourceClaim, name: string, spec: object) =>
    plane.client.patch(kind, kind === DataSource ? { name } : { namespace: 'default', name }, {
      type: 'merge',
      body: { spec },
    });
  const claim = async (name: string) => {
    await plane.settled();
    const { status } = await plane.client.get(DataSourceClaim, { namespace: 'default', name });
    const bound = findCondition(status?.conditions, 'Bound');
    return {
      phase: status?.phase,
      to: status?.boundDataSource,
      why: bound?.reason,
      message: bound?.message,
    };
  };
  const source = async (name: string) => {
    await plane.settled();
    const found = await getOrUndefined(plane.client, DataSource, { name });
    if (found === undefined) return undefined;
    const { clusters, claimRefs = [], boundClaims, conditions } = found.status ?? {};
    return {
      clusters,
      boundClaims,
      refs: claimRefs.map((ref) => `${ref.namespace}/${ref.name}`),
      ready: findCondition(conditions, 'Ready')?.reason,
    };
  };
  const remove = (kind: typeof DataSource | typeof DataSourceClaim, name: string) =>
    plane.client.delete(kind, kind === DataSource ? { name } : { namespace: 'default', name });

  it('binds a claim that comes after its source, and writes it down on both sides', async () => {
    await addSource('first', 'db.first', { locality: { clusterNames: ['c2', 'c1', 'gone'] } });
    await addClaim('first', { dataSourceName: 'db.first' });
    assert.deepEqual(await claim('first'), {
      phase: 'Bound',
      to: 'first',
      why: 'BindingSuccessful',
      message: 'bound to the DataSource first: hive table db.first',
    });
    assert.deepEqual(await source('first'), {
      clusters: ['c1', 'c2'],
      boundClaims: 1,
      refs: ['default/first'],
      ready: 'DataAvailable',
    });
    const { status } = await plane.client.get(DataSource, { name: 'first' });
    assert.equal(findCondition(status?.conditions, 'Provisioned')?.reason, 'Registered');
  });

  it('binds a claim that comes before its source, and says what it waits for until then', async () => {
    await addSource('near', 'db.later', { attributes: { format: 'csv' } });
    await addClaim('early', { dataSourceName: 'db.later', attributes: { format: 'orc' } });
    assert.deepEqual(await claim('early'), {
      phase: 'Pending',
      to: undefined,
      why: 'NoMatchingSource',
      message:
        'no DataSource offers hive table db.later with format=orc; the closest are near (hive table db.later): its format is csv, not orc; first (hive table db.first): its data is db.first, not db.later, it has no format, not orc',
    });
    await addSource('late', 'db.later', { attributes: { format: 'orc' } });
    assert.equal((await claim('early')).to, 'late');
  });

  it('binds two claims of two workloads to one source, and lets each go by itself', async () => {
    await addSource('shared', 'db.shared');
    await addClaim('shared-1', { dataSourceName: 'db.shared' });
    await addClaim('shared-2', { dataSourceName: 'shared' });
    assert.deepEqual((await source('shared'))?.refs, ['default/shared-1', 'default/shared-2']);
    await remove(DataSourceClaim, 'shared-1');
    assert.deepEqual((await source('shared'))?.refs, ['default/shared-2']);
    await remove(DataSourceClaim, 'shared-2');
    assert.deepEqual(await source('shared'), {
      clusters: ['c1'],
      boundClaims: 0,
      refs: [],
      ready: 'DataAvailable',
    });
  });

  it('takes another source when its own goes, and waits when there is none', async () => {
    await addSource('twin-1', 'db.twin', { locality: { clusterNames: ['c1', 'c2'] } });
    await addSource('twin-2', 'db.twin');
    await addClaim('twin', { dataSourceName: 'db.twin' });
    assert.equal((await claim('twin')).to, 'twin-1');
    await remove(DataSource, 'twin-1');
    assert.equal((await claim('twin')).to, 'twin-2');
    await remove(DataSource, 'twin-2');
    assert.deepEqual(await claim('twin'), {
      phase: 'Pending',
      to: undefined,
      why: 'NoMatchingSource',
      message: (await claim('twin')).message,
    });
    await addSource('twin-3', 'db.twin');
    assert.equal((await claim('twin')).to, 'twin-3');
  });

  it('binds anew when the claim changes, and when its source no longer fits', async () => {
    await addSource('old', 'db.old', { attributes: { tier: 'hot' } });
    await addSource('new', 'db.new');
    await addClaim('moves', { dataSourceName: 'db.old', attributes: { tier: 'hot' } });
    assert.equal((await claim('moves')).to, 'old');
    await change(DataSource, 'old', { attributes: { tier: 'cold' } });
    assert.equal((await claim('moves')).phase, 'Pending');
    assert.equal((await source('old'))?.boundClaims, 0);
    await change(DataSource, 'old', { attributes: { tier: 'hot' } });
    assert.equal((await claim('moves')).to, 'old');
    await change(DataSourceClaim, 'moves', { dataSourceName: 'db.new', attributes: null });
    assert.equal((await claim('moves')).to, 'new');
    assert.deepEqual(
      [(await source('old'))?.boundClaims, (await source('new'))?.boundClaims],
      [0, 1],
    );
  });

  it('deletes a source when its last claim is deleted or leaves, if it is to be deleted', async () => {
    await addSource('brief', 'db.brief', { reclaimPolicy: 'Delete' });
    await addSource('other', 'db.other');
    assert.equal((await source('brief'))?.boundClaims, 0, 'one that was never claimed stays');
    await addClaim('brief-1', { dataSourceName: 'db.brief' });
    await addClaim('brief-2', { dataSourceName: 'db.brief' });
    assert.equal((await source('brief'))?.boundClaims, 2);
    await remove(DataSourceClaim, 'brief-1');
    assert.equal((await source('brief'))?.boundClaims, 1);
    await change(DataSourceClaim, 'brief-2', { dataSourceName: 'db.other' });
    assert.equal(await source('brief'), undefined);
  });

  it('follows clusters that join, leave, and change their labels', async () => {
    const byLabel = { clusterAffinity: { labelSelector: { matchLabels: { disk: 'fast' } } } };
    await addSource('rule', 'db.rule', { locality: byLabel });
    await addSource('named', 'db.named', { locality: { clusterNames: ['c9'] } });
    assert.deepEqual(await source('rule'), {
      clusters: [],
      boundClaims: 0,
      refs: [],
      ready: 'NoCluster',
    });
    const label = (disk: string | null) =>
      plane.client.patch(
        MemberCluster,
        { name: 'c3' },
        { type: 'merge', body: { metadata: { labels: { disk } } } },
      );
    await label('fast');
    assert.deepEqual((await source('rule'))?.clusters, ['c3']);
    await setReady(plane.client, 'c3', 'False');
    assert.equal((await source('rule'))?.ready, 'NoReadyCluster');
    await setReady(plane.client, 'c3', 'True');
    await addReadyCluster(plane.client, 'c9');
    assert.deepEqual((await source('named'))?.clusters, ['c9']);
    await plane.client.delete(MemberCluster, { name: 'c9' });
    assert.deepEqual((await source('named'))?.clusters, []);
    await label(null);
    assert.deepEqual((await source('rule'))?.clusters, []);
  });

  it('lists at most a hundred claims, and counts all', async () => {
    await addSource('popular', 'db.popular');
    for (let at = 0; at < 105; at += 1) {
      await addClaim(`fan-${String(at).padStart(3, '0')}`, { dataSourceName: 'db.popular' });
    }
    const { refs = [], boundClaims } = (await source('popular')) ?? {};
    assert.deepEqual(
      [refs.length, boundClaims, refs[0], refs.at(-1)],
      [100, 105, 'default/fan-000', 'default/fan-099'],
    );
  });

  it('says what cannot be read in a selector, and goes on with the others', async () => {
    await addClaim('odd', {
      dataSourceName: 'db.first',
      workloadSelector: { matchLabels: { '!': 'x' } },
    });
    const { phase, why, message } = await claim('odd');
    assert.deepEqual([phase, why], ['Pending', 'SelectorUnreadable']);
    assert.match(message ?? '', /^spec\.workloadSelector: /);
  });

  it('says what it waits for also beside a source with endless attributes, and of an endless claim', async () => {
    const endless = 'x'.repeat(40_000);
    await addSource('endless', 'db.endless', { type: 'view', attributes: { format: endless } });
    const view = { dataSourceType: 'view' };
    await addClaim('near', { ...view, attributes: { format: 'orc' } });
    await addClaim('much', { ...view, attributes: { format: endless.replaceAll('x', 'y') } });
    await addClaim('odder', { ...view, workloadSelector: { matchLabels: { [endless]: '!' } } });
    for (const name of ['near', 'much', 'odder']) {
      const { phase, message = '' } = await claim(name);
      assert.equal(phase, 'Pending', name);
      assert.ok(message.length > 0 && message.length < 1100, `${name}: ${message.length}`);
    }
  });

  it('waits for data that is known and nowhere yet', async () => {
    const spec = { system: 'w', type: 'y', name: 'z', locality: { clusterNames: [] } };
    await plane.client.create(DataSource, { metadata: { name: 'nowhere' }, spec } as never);
    await plane.client.create(DataSourceClaim, {
      metadata: { namespace: 'default', name: 'waits' },
      spec: {
        system: 'w',
        dataSourceType: 'y',
        dataSourceName: 'z',
        workloadSelector: {},
      } as never,
    });
    assert.match((await claim('waits')).message ?? '', /nowhere .*it is in no cluster yet/);
    const body = { spec: { locality: { clusterNames: ['c'] } } };
    await plane.client.patch(DataSource, { name: 'nowhere' }, { type: 'merge', body });
    assert.equal((await claim('waits')).to, 'nowhere');
  });

  it('lets objects go that another controller held, so that they block no namespace', async () => {
    const finalizers = ['datadependency.volcano.sh/finalizer'];
    await plane.client.create(DataSourceClaim, {
      metadata: { namespace: 'default', name: 'held', finalizers },
      spec: { system: 'x', dataSourceType: 'y', workloadSelector: {} } as never,
    });
    await plane.client.create(DataSource, {
      metadata: { name: 'held', finalizers: ['datadependency.volcano.sh/datasource-finalizer'] },
      spec: { system: 'x', type: 'y', name: 'z', locality: { clusterNames: ['c'] } } as never,
    });
    assert.equal((await claim('held')).to, 'held');
    await remove(DataSourceClaim, 'held');
    await remove(DataSource, 'held');
    await plane.settled();
    const left = [
      await getOrUndefined(plane.client, DataSourceClaim, { namespace: 'default', name: 'held' }),
      await getOrUndefined(plane.client, DataSource, { name: 'held' }),
    ];
    assert.deepEqual(left, [undefined, undefined]);
  });

  it('writes nothing when all is looked at again', async () => {
    const versions = async () => {
      const claims = await plane.client.list(DataSourceClaim, {});
      const sources = await plane.client.list(DataSource, {});
      return [...claims.items, ...sources.items].map(({ metadata }) => [
        metadata.uid,
        metadata.resourceVersion,
      ]);
    };
    const seen = await versions();
    await plane.clock.advance(600_000);
    assert.deepEqual(await versions(), seen);
  });
});
