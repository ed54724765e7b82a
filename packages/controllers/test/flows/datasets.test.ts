import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { datasetController } from '@perigee/controllers/flows/dataset-controller';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { formatTime } from '@perigee/schema/values/time';
import { producedDatasetController } from '../../src/flows/produced-dataset-controller.ts';
import { producedSourceController } from '../../src/flows/produced-source-controller.ts';
import { setReady, startFederation } from '../support/federation.ts';

const MEMBERS = ['m1', 'm2', 'm3'];
const BUCKET = { mounts: [{ mountPoint: 's3://bucket/raw', name: 'raw' }] };
const PROCESS = {
  dataset: { name: 'raw', mountPath: '/data' },
  processor: { script: { source: 'true', image: 'sh' } },
};

describe('datasets across clusters', () => {
  let federation: Awaited<ReturnType<typeof startFederation>>;
  let spaces = 0;

  before(async () => {
    federation = await startFederation({
      members: MEMBERS,
      further: () => [datasetController(), producedDatasetController(), producedSourceController()],
    });
  });
  after(() => federation[Symbol.asyncDispose]());

  /** A namespace of its own with a dataset `raw`, and what a test does to it. */
  const world = async (spec: object = BUCKET, metadata: object = {}) => {
    spaces += 1;
    const namespace = `space-${spaces}`;
    const { client, clock, settle } = federation;
    const here = (name: string) => ({ namespace, name });
    await client.create(Namespace, { metadata: { name: namespace } });
    await client.create(Dataset, { metadata: { ...here('raw'), ...metadata }, spec } as never);
    await settle();
    const sourceName = (name = 'raw') => `fluid-dataset.${namespace}.${name}`;
    const dataset = (name = 'raw') => getOrUndefined(client, Dataset, here(name));
    const report = async (
      kind: ResourceKind,
      name: string,
      clusters: object,
      more: object = {},
    ) => {
      const states = Object.entries(clusters).map(([cluster, state]) => ({
        name: cluster,
        ...(typeof state === 'string' ? { phase: state } : state),
      }));
      const body = { status: { phase: 'Executing', clusters: states, ...more } };
      await client.patch(kind, here(name), { type: 'merge', body }, { subresource: 'status' });
      await settle();
    };
    /** Runs an operation from now on for two seconds, in these clusters. */
    const run = async (
      kind: ResourceKind,
      name: string,
      operation: object,
      clusters: readonly string[],
      result: object = { bytes: 2048, files: 3, digest: 'd' },
    ) => {
      await client.create(kind, { metadata: here(name), spec: operation } as never);
      const startTime = formatTime(clock.now());
      const each = (state: object) =>
        Object.fromEntries(clusters.map((cluster) => [cluster, { startTime, ...state }]));
      await report(kind, name, each({ phase: 'Executing' }));
      const completionTime = formatTime(clock.now());
      const done = each({ phase: 'Complete', completionTime, result });
      await report(kind, name, done, { phase: 'Complete' });
    };
    return {
      client,
      namespace,
      settle,
      here,
      dataset,
      report,
      run,
      sourceName,
      source: (name = 'raw') => getOrUndefined(client, DataSource, { name: sourceName(name) }),
      load: (name: string, clusters: readonly string[], more: object = {}, result?: object) =>
        run(DataLoad, name, { dataset: { name: 'raw' }, ...more }, clusters, result),
      migrate: (name: string, clusters: readonly string[], path?: string) =>
        run(
          DataMigrate,
          name,
          {
            from: { externalStorage: { uri: 'pvc://inbox/' } },
            to: { dataset: { name: 'raw', ...(path === undefined ? {} : { path }) } },
          },
          clusters,
        ),
      /** The claim of a dataset in a member. */
      claim: (member: string, name = 'raw') =>
        federation.member(member).find(PersistentVolumeClaim, name, namespace),
      /** `m1 Complete, m2 Stale` and where claims find it: ` | m1`. */
      told: async (name = 'raw') => {
        await settle();
        const copies = (await dataset(name))?.status?.clusters ?? [];
        const found = await getOrUndefined(client, DataSource, { name: sourceName(name) });
        const states = copies.map((copy) => `${copy.name} ${copy.state}`).join(', ');
        const where = found?.spec.locality.clusterNames?.join(' ');
        return `${states} | ${where ?? 'no source'}`;
      },
    };
  };

  it('is Bound without a runtime, and has a DataSource that gives no cluster yet', async () => {
    const { dataset, source, namespace } = await world();
    const { status } = (await dataset()) ?? {};
    assert.equal(status?.phase, 'Bound');
    assert.deepEqual(status?.mounts, BUCKET.mounts);
    assert.deepEqual(status?.cacheStates, { cached: '0.00B', cachedPercentage: '0.0%' });
    assert.equal(status?.conditions[0]?.reason, 'DatasetBound');
    const { spec } = (await source()) ?? {};
    assert.deepEqual(spec, {
      system: 'fluid',
      type: 'dataset',
      name: `${namespace}/raw`,
      locality: { clusterNames: [] },
      attributes: { namespace, dataset: 'raw' },
      reclaimPolicy: 'Retain',
    });
  });

  it('counts a copy once it is complete, with its size, files, time and digest', async () => {
    const { client, load, dataset, source, told, here, report } = await world();
    await client.create(DataLoad, { metadata: here('l'), spec: { dataset: { name: 'raw' } } });
    await report(DataLoad, 'l', {
      m1: { phase: 'Executing', progress: { bytesDone: 1024, filesDone: 1, percentage: 50 } },
    });
    assert.equal(await told(), 'm1 Loading | ');
    const { status } = (await dataset()) ?? {};
    assert.deepEqual(status?.operationRef, { DataLoad: 'l' });
    assert.deepEqual(status?.cacheStates, { cached: '1.00KiB', cachedPercentage: '50.0%' });
    await load('again', ['m1', 'm2']);
    assert.equal(await told(), 'm1 Complete, m2 Complete | m1 m2');
    const complete = (await dataset())?.status;
    assert.equal(complete?.ufsTotal, '2.00KiB');
    assert.equal(complete?.fileNum, '3');
    assert.deepEqual(complete?.cacheStates, { cached: '2.00KiB', cachedPercentage: '100.0%' });
    const { spec, status: found } = (await source()) ?? {};
    assert.equal(`${spec?.size}`, '2048');
    const [copy] = found?.copies ?? [];
    assert.deepEqual(
      { ...copy, time: undefined },
      { cluster: 'm1', claim: 'raw', bytes: 2048, files: 3, digest: 'd', time: undefined },
    );
    assert.ok(copy?.time);
  });

  it('makes the claim in each cluster that an operation is to run in, and keeps it', async () => {
    const { client, here, report, claim, settle } = await world(
      { ...BUCKET, accessModes: ['ReadOnlyMany'] },
      { annotations: { 'pvc.fluid.io/resources.requests.storage': '3Gi' } },
    );
    await client.create(DataLoad, { metadata: here('l'), spec: { dataset: { name: 'raw' } } });
    await report(DataLoad, 'l', { m1: 'Pending' });
    const made = await claim('m1');
    assert.deepEqual(made?.spec?.resources?.requests, { storage: '3Gi' });
    assert.deepEqual(made?.spec?.accessModes, ['ReadWriteMany']);
    assert.equal(await claim('m2'), undefined);
    await client.delete(DataLoad, here('l'));
    await settle();
    assert.equal((await claim('m1'))?.metadata.uid, made?.metadata.uid);
  });

  it('leaves a claim alone that was there before', async () => {
    const { client, here, report, claim, namespace } = await world();
    const { admin } = federation.member('m1');
    await admin.create(PersistentVolumeClaim, {
      metadata: { namespace, name: 'raw' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await client.create(DataLoad, { metadata: here('l'), spec: { dataset: { name: 'raw' } } });
    await report(DataLoad, 'l', { m1: 'Pending' });
    const found = await claim('m1');
    assert.deepEqual(found?.spec?.accessModes, ['ReadWriteOnce']);
    assert.deepEqual(found?.metadata.labels ?? {}, {});
    const [work] = (await federation.works('m1')).filter(
      ({ metadata }) => metadata.annotations?.['policy.perigee.io/dataset'] === `${namespace}/raw`,
    );
    const applied = work?.status?.conditions?.find(({ type }) => type === 'Applied');
    assert.equal(applied?.status, 'True');
  });

  it('takes copies out of the locality that a later DataMigrate has made stale', async () => {
    const { load, migrate, told, dataset } = await world();
    await load('first', ['m1', 'm2']);
    await migrate('news', ['m1']);
    assert.equal(await told(), 'm1 Complete, m2 Stale | m1');
    const stale = (await dataset())?.status?.clusters?.find(({ name }) => name === 'm2');
    assert.match(stale?.message ?? '', /changed by DataMigrate\/news/);
    await load('second', ['m2']);
    assert.equal(await told(), 'm1 Complete, m2 Complete | m1 m2');
  });

  it('counts what a DataMigrate has written to it by its URL', async () => {
    const { client, here, load, run, told, namespace, claim } = await world();
    await load('first', ['m1', 'm2']);
    await client.create(Dataset, { metadata: here('other'), spec: {} });
    const spec = {
      from: { dataset: { name: 'other' } },
      to: { externalStorage: { uri: `dataset://${namespace}/raw` } },
    };
    await run(DataMigrate, 'news', spec, ['m3']);
    assert.equal(await told(), 'm1 Stale, m2 Stale, m3 Complete | m3');
    assert.ok(await claim('m3'), 'it has where to write');
  });

  it('does not count a copy that was begun before the data changed', async () => {
    const { client, here, report, migrate, told } = await world();
    const startTime = formatTime(federation.clock.now());
    await client.create(DataLoad, { metadata: here('l'), spec: { dataset: { name: 'raw' } } });
    await report(DataLoad, 'l', { m2: { phase: 'Executing', startTime } });
    await migrate('news', ['m1']);
    const completionTime = formatTime(federation.clock.now());
    await report(
      DataLoad,
      'l',
      { m2: { phase: 'Complete', startTime, completionTime } },
      { phase: 'Complete' },
    );
    assert.equal(await told(), 'm1 Complete, m2 Stale | m1');
  });

  it('takes an older copy for stale when a later load finds other data at the origin', async () => {
    const { load, told } = await world();
    await load('first', ['m1'], {}, { bytes: 1, files: 1, digest: 'a' });
    await load('second', ['m2'], {}, { bytes: 2, files: 1, digest: 'b' });
    assert.equal(await told(), 'm1 Stale, m2 Complete | m2');
    await load('third', ['m1'], {}, { bytes: 2, files: 1, digest: 'b' });
    assert.equal(await told(), 'm1 Complete, m2 Complete | m1 m2');
  });

  it('does not count a part of the data', async () => {
    const { load, migrate, told } = await world();
    await load('part', ['m1'], { target: [{ path: '/2024' }, { path: '2025/' }] });
    assert.equal(await told(), 'm1 Partial | ');
    await load('all', ['m1'], { target: [{ path: '/2024' }, { path: '/' }] });
    assert.equal(await told(), 'm1 Complete | m1');
    await migrate('more', ['m2'], '/2026/');
    assert.equal(await told(), 'm1 Stale, m2 Partial | ');
  });

  it('takes all that was ever written for complete when a dataset has no other origin', async () => {
    const { migrate, told } = await world({});
    await migrate('one', ['m1'], 'a');
    assert.equal(await told(), 'm1 Complete | m1');
    await migrate('two', ['m1'], 'b');
    assert.equal(await told(), 'm1 Complete | m1');
    await migrate('three', ['m2'], 'c');
    assert.equal(await told(), 'm1 Stale, m2 Partial | ');
  });

  it('remembers copies when the operations that made them are gone', async () => {
    const { client, here, load, told, claim } = await world();
    await load('l', ['m1']);
    await client.delete(DataLoad, here('l'));
    assert.equal(await told(), 'm1 Complete | m1');
    assert.ok(await claim('m1'));
  });

  it('takes data out whose claim was deleted, until it is loaded again', async () => {
    const { load, told, claim, dataset, namespace } = await world();
    await load('l', ['m1', 'm2']);
    assert.ok((await dataset())?.status?.clusters?.[0]?.claimUid);
    const gone = { namespace, name: 'raw' };
    await federation.member('m1').admin.delete(PersistentVolumeClaim, gone);
    assert.equal(await told(), 'm1 Evicted, m2 Complete | m2');
    assert.equal(await claim('m1'), undefined);
    await load('again', ['m1']);
    assert.equal(await told(), 'm1 Complete, m2 Complete | m1 m2');
    assert.ok(await claim('m1'));
  });

  it('is at nothing for an operation that was stopped, and makes no claim for one that failed', async () => {
    const { client, here, load, report, told, claim, namespace } = await world();
    await client.create(DataLoad, { metadata: here('c'), spec: { dataset: { name: 'raw' } } });
    await report(DataLoad, 'c', { m2: 'Executing' });
    assert.equal(await told(), 'm2 Loading | ');
    await report(DataLoad, 'c', { m2: 'Executing' }, { phase: 'Failed' });
    assert.equal(await told(), ' | ');
    await load('l', ['m1']);
    await client.create(DataLoad, { metadata: here('f'), spec: { dataset: { name: 'raw' } } });
    await report(DataLoad, 'f', { m1: 'Failed' }, { phase: 'Failed' });
    assert.ok(await claim('m1'));
    const gone = { namespace, name: 'raw' };
    await federation.member('m1').admin.delete(PersistentVolumeClaim, gone);
    assert.equal(await told(), 'm1 Evicted | ');
    assert.equal(await claim('m1'), undefined, 'nothing needs it');
  });

  it('takes data out with its cluster, also for one that is registered again by the name', async () => {
    const { client, load, told } = await world();
    await load('l', ['m1', 'm3']);
    await client.delete(MemberCluster, { name: 'm3' });
    assert.equal(await told(), 'm1 Complete, m3 Evicted | m1');
    await client.create(MemberCluster, { metadata: { name: 'm3' }, spec: { syncMode: 'Push' } });
    await setReady(client, 'm3', 'True');
    assert.equal(await told(), 'm1 Complete, m3 Evicted | m1');
  });

  it('puts a DataSource right that somebody changed or deleted', async () => {
    const { client, load, told, sourceName } = await world();
    await load('l', ['m1']);
    const body = { spec: { locality: { clusterNames: ['m2'] }, reclaimPolicy: 'Delete' } };
    await client.patch(DataSource, { name: sourceName() }, { type: 'merge', body });
    assert.equal(await told(), 'm1 Complete | m1');
    await client.delete(DataSource, { name: sourceName() });
    assert.equal(await told(), 'm1 Complete | m1');
  });

  it('says when a DataSource of other data has its name', async () => {
    const { client, dataset, sourceName, settle, source } = await world();
    await client.delete(Dataset, (await dataset())?.metadata as never);
    await settle();
    const other = { system: 'hive', type: 'table', name: 'x', locality: { clusterNames: ['m1'] } };
    await client.create(DataSource, { metadata: { name: sourceName() }, spec: other } as never);
    const [namespace = ''] = sourceName().split('.').slice(1);
    await client.create(Dataset, { metadata: { namespace, name: 'raw' }, spec: {} });
    await settle();
    const told = (await dataset())?.status?.conditions[0];
    assert.equal(told?.reason, 'DataSourceTaken');
    await client.delete(DataSource, { name: sourceName() });
    await settle();
    assert.equal((await dataset())?.status?.conditions[0]?.reason, 'DatasetBound');
    assert.equal((await source())?.spec.system, 'fluid');
  });

  it('takes DataSource and claims along when it is deleted, but not the only place of data', async () => {
    const withOrigin = await world();
    const without = await world({});
    for (const { load, client, here, claim, settle, source, dataset } of [withOrigin, without]) {
      await load('l', ['m1']);
      assert.ok(await claim('m1'));
      await client.delete(Dataset, here('raw'));
      await settle();
      assert.equal(await dataset(), undefined);
      assert.equal(await source(), undefined);
    }
    assert.equal(await withOrigin.claim('m1'), undefined);
    const left = await without.claim('m1');
    assert.deepEqual(left?.metadata.labels ?? {}, {});
  });

  it('takes its operations along when it is deleted, as Fluid does', async () => {
    const { client, load, namespace, here, settle } = await world();
    await load('l', ['m1']);
    const other = { ...PROCESS, dataset: { name: 'other', mountPath: '/data' } };
    await client.create(DataProcess, { metadata: here('p'), spec: PROCESS } as never);
    await client.create(DataProcess, { metadata: here('kept'), spec: other } as never);
    const out = {
      from: { dataset: { name: 'raw' } },
      to: { externalStorage: { uri: 'pvc://nas/x' } },
    };
    await client.create(DataMigrate, { metadata: here('out'), spec: out } as never);
    const into = { from: { dataset: { name: 'raw' } }, to: { dataset: { name: 'other' } } };
    await client.create(DataMigrate, { metadata: here('into'), spec: into } as never);
    await settle();
    await client.delete(Dataset, here('raw'));
    await settle();
    const lists = await Promise.all(
      [DataLoad, DataProcess, DataMigrate].map((kind) =>
        client.list(kind as ResourceKind, { namespace }),
      ),
    );
    const left = lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
    assert.deepEqual(left, ['kept', 'into']);
  });

  it('takes no copy of a dataset that was deleted for one of the next by its name', async () => {
    const { client, load, told, here, settle } = await world();
    await load('l', ['m1']);
    await client.delete(Dataset, here('raw'));
    await settle();
    await client.create(Dataset, { metadata: here('raw'), spec: BUCKET });
    assert.equal(await told(), ' | ');
  });

  it('lets a namespace go though a cluster does not answer', async () => {
    const { client, load, dataset, namespace, settle } = await world();
    await load('l', ['m2']);
    await setReady(client, 'm2', 'False');
    await client.delete(Dataset, { namespace, name: 'raw' });
    await settle();
    assert.equal(await dataset(), undefined);
    await setReady(client, 'm2', 'True');
  });

  it('writes nothing when nothing changes, also after a restart', async () => {
    const { load, dataset, source, settle } = await world();
    await load('l', ['m1', 'm2']);
    await settle();
    const versions = async () =>
      [await dataset(), await source()].map((one) => one?.metadata.resourceVersion);
    const before = await versions();
    await federation.restart();
    await settle(700_000);
    assert.deepEqual(await versions(), before);
  });

  it('counts what a DataProcess says that it has made of the dataset', async () => {
    const { load, run, told } = await world();
    await load('l', ['m1', 'm2']);
    await run(DataProcess, 'looks', PROCESS, ['m1'], {});
    assert.equal(await told(), 'm1 Complete, m2 Complete | m1 m2');
    const produces = [{ dataset: { name: 'raw' } }];
    await run(DataProcess, 'changes', { ...PROCESS, produces }, ['m1'], {});
    assert.equal(await told(), 'm1 Complete, m2 Stale | m1');
  });

  it('makes the Dataset that a DataProcess says it makes, where it lies', async () => {
    const { load, run, told, dataset, source, claim, namespace } = await world();
    await load('l', ['m1', 'm2']);
    const produces = [{ dataset: { name: 'model', path: 'out/model/' } }];
    await run(DataProcess, 'train', { ...PROCESS, produces }, ['m1'], {});
    assert.equal(await told('model'), 'm1 Complete | m1');
    assert.equal(await told(), 'm1 Complete, m2 Complete | m1 m2');
    const made = await dataset('model');
    assert.deepEqual(made?.spec.mounts?.[0]?.mountPoint, `dataset://${namespace}/raw/out/model`);
    const [copy] = (await source('model'))?.status?.copies ?? [];
    assert.deepEqual([copy?.claim, copy?.path], ['raw', 'out/model']);
    assert.equal(await claim('m1', 'model'), undefined);
    await load('again', ['m1']);
    assert.equal(await told('model'), 'm1 Evicted | ');
  });

  it('makes the DataSource that a DataProcess says it makes, and keeps it true', async () => {
    const { client, load, run, here, namespace, settle } = await world();
    await load('l', ['m1', 'm2']);
    const name = `llama-${namespace}`;
    const dataSource = { name, system: 'models', type: 'llm', dataName: 'llama' };
    const produces = [{ dataSource, path: '/model' }];
    await run(DataProcess, 'train', { ...PROCESS, produces }, ['m1', 'm2'], {});
    const found = async () => {
      await settle();
      const { spec, status } = await client.get(DataSource, { name });
      return { spec, where: spec.locality.clusterNames, copies: status?.copies };
    };
    const { spec, where, copies } = await found();
    assert.deepEqual(where, ['m1', 'm2']);
    assert.equal(spec.name, 'llama');
    assert.deepEqual([copies?.[0]?.claim, copies?.[0]?.path], ['raw', 'model']);
    // It outlives the process, and goes with the claim that it is in.
    await client.delete(DataProcess, here('train'));
    assert.deepEqual((await found()).where, ['m1', 'm2']);
    const gone = { namespace, name: 'raw' };
    await federation.member('m1').admin.delete(PersistentVolumeClaim, gone);
    assert.deepEqual((await found()).where, ['m2']);
    await client.delete(Dataset, here('raw'));
    assert.deepEqual((await found()).where, []);
  });

  it('does not touch a DataSource of somebody else that a DataProcess names', async () => {
    const { client, load, run, namespace, settle } = await world();
    const name = `sales-${namespace}`;
    const identity = { system: 'hive', type: 'table', name: 'db.sales' };
    const spec = { ...identity, locality: { clusterNames: ['m3'] } };
    await client.create(DataSource, { metadata: { name }, spec } as never);
    await load('l', ['m1']);
    const dataSource = { name, system: 'hive', type: 'table', dataName: 'db.sales' };
    const produces = [{ dataSource }];
    await run(DataProcess, 'thief', { ...PROCESS, produces }, ['m1'], {});
    await settle();
    assert.deepEqual((await client.get(DataSource, { name })).spec.locality, spec.locality);
    const { items } = await client.list(Event, { namespace });
    assert.ok(items.some(({ reason }) => reason === 'ProductNameTaken'));
  });
});
