import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { findCondition } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import { ConnectionError } from '@perigee/kube/errors';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Event } from '@perigee/kubernetes/core/event';
import { dataPlacementController } from '../../src/data/data-placement-controller.ts';
import { dataSchedulerController } from '../../src/data/data-scheduler-controller.ts';
import { dataSourceController } from '../../src/data/data-source-controller.ts';
import { claimCopyController } from '../../src/flows/claim-copy-controller.ts';
import { dataTransfersController } from '../../src/flows/data-transfers-controller.ts';
import { datasetController } from '../../src/flows/dataset-controller.ts';
import { gateController } from '../../src/gate/gate-controller.ts';
import { startFlowWorld } from '../flows/flow-world.ts';

const GIB = 2 ** 30;
const here = (name: string) => ({ namespace: 'default', name });
const on = (...clusterNames: readonly string[]) => ({
  placement: { clusterAffinity: { clusterNames } },
});

/** The last word of a copy. */
const done = (bytes: number) => ({
  type: 'result',
  bytes,
  bytesCopied: bytes,
  files: 3,
  digest: 'd',
});

interface StartOptions {
  readonly members?: readonly string[];
  readonly bytes?: number;
  readonly reach?: (client: Client) => Client;
}

/** Members of which m1 has the dataset raw, and work that may run wherever its policy says. */
const start = async ({ members = ['m1', 'm2', 'm3'], bytes = GIB, reach }: StartOptions = {}) => {
  const world = await startFlowWorld({
    members,
    ...(reach && { reach }),
    further: (client, clock) => [
      datasetController(),
      dataTransfersController({}),
      dataSchedulerController(),
      dataSourceController(),
      dataPlacementController({ client, clock }),
      gateController(),
      claimCopyController({ staging: undefined }),
    ],
  });
  for (const name of members) await world.setPods(name, 'processes');
  const { client } = world;
  await client.create(Dataset, { metadata: here('raw'), spec: {} });
  await world.create('DataMigrate', 'bring', on('m1'));
  await world.settle();
  await world.reportLine('m1', 'bring', done(bytes), 'complete');
  return {
    ...world,
    policy: (clusterNames: readonly string[]) =>
      client.create(PropagationPolicy, {
        metadata: here('work'),
        spec: {
          resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
          placement: {
            clusterAffinity: { clusterNames },
            replicaScheduling: {
              replicaSchedulingType: 'Divided',
              replicaDivisionPreference: 'Aggregated',
            },
          },
        },
      } as never),
    work: (name = 'train', cpu = '1') =>
      client.create(Deployment, {
        metadata: { ...here(name), labels: { needs: 'raw' } },
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: name } },
          template: {
            metadata: { labels: { app: name } },
            spec: {
              containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
            },
          },
        },
      } as never),
    claim: (name: string, spec: object = {}, workload = 'train') =>
      client.create(DataSourceClaim, {
        metadata: here(name),
        spec: {
          system: 'fluid',
          dataSourceType: 'dataset',
          dataSourceName: 'default/raw',
          workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: workload },
          onMissing: 'Copy',
          copyLimit: { bytes: '10Gi' },
          ...spec,
        },
      } as never),
    edit: (name: string, spec: object) =>
      client.patch(DataSourceClaim, here(name), { type: 'merge', body: { spec } }),
    price: (name: string, pricePerGiB: string) =>
      client.create(ClusterRecord, {
        metadata: { name },
        spec: { type: 'virtual', dataTransfer: { egress: [{ to: '*', pricePerGiB }] } },
      } as never),
    told: async (name: string) => {
      const { status } = await client.get(DataSourceClaim, here(name));
      const { reason, message } = findCondition(status?.conditions, 'Copied') ?? {};
      return { reason, message: message ?? '', copy: status?.copy, copied: status?.copied };
    },
    loads: async () => (await client.list(DataLoad, { namespace: 'default' })).items,
    placed: async (name = 'train') => {
      const { spec } = await client.get(ResourceBinding, here(`${name}-deployment`));
      return (spec.clusters ?? []).map((one) => one.name);
    },
    events: async () =>
      (await client.list(Event, { namespace: 'default' })).items
        .filter(({ involvedObject }) => involvedObject?.kind === 'DataSourceClaim')
        .map(({ reason }) => reason),
    /** Has the one operation under way end. */
    finish: async (member: string, state: 'complete' | 'failed' = 'complete') => {
      const { copy } = (await client.get(DataSourceClaim, here('need'))).status ?? {};
      await world.reportLine(member, copy?.operation ?? '', done(bytes), state);
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
};

test('a claim has its data copied to where its work may run, and says so', async () => {
  await using world = await start();
  await world.policy(['m2']);
  await world.work();
  await world.claim('need');
  await world.settle();
  const [load, ...more] = await world.loads();
  assert.equal(more.length, 0);
  assert.match(load?.metadata.name ?? '', /^raw-to-m2-[0-9a-f]{10}$/);
  const [owner] = load?.metadata.ownerReferences ?? [];
  assert.deepEqual([owner?.kind, owner?.name], ['DataSourceClaim', 'need']);
  assert.deepEqual(load?.spec.placement, { clusterAffinity: { clusterNames: ['m2'] } });
  const { reason, message, copy } = await world.told('need');
  assert.equal(reason, 'Copying');
  assert.match(message, /copies it for Deployment train: 1\.00GiB from m1 to m2/);
  assert.deepEqual([copy?.phase, copy?.from, copy?.cluster], ['Copying', 'm1', 'm2']);
  assert.deepEqual(await world.placed(), []);

  await world.finish('m2');
  assert.equal((await world.told('need')).reason, 'DataCopied');
  await world.settle();
  assert.deepEqual(await world.placed(), ['m2']);
  await world.settle(600_000);
  assert.equal((await world.loads()).length, 1, 'it is made once');
  const { reason: after, copied } = await world.told('need');
  assert.deepEqual([after, copied], ['DataCopied', { copies: 1, bytes: GIB, cost: '0' }]);
  assert.deepEqual((await world.events()).filter((one) => one?.includes('Cop')).sort(), [
    'DataCopied',
    'DataCopyStarted',
  ]);
});

test('the copy for a claim about all work does not itself wait for the data that it brings', async () => {
  await using world = await start();
  await world.policy(['m2']);
  await world.work();
  await world.claim('need', { workload: null, workloadSelector: {} });
  await world.settle();
  assert.equal((await world.told('need')).reason, 'Copying');
  await world.finish('m2');
  await world.settle();
  assert.deepEqual(await world.placed(), ['m2']);
});

test('nothing moves for a claim that does not ask for it, or whose work can run where the data is', async () => {
  await using world = await start();
  await world.policy(['m1', 'm2']);
  await world.work();
  await world.claim('need');
  await world.claim('other', { onMissing: null, copyLimit: null });
  await world.settle(120_000);
  assert.deepEqual(await world.placed(), ['m1']);
  assert.equal((await world.told('need')).reason, 'NothingWaits');
  assert.equal((await world.told('other')).reason, undefined);
  assert.deepEqual(await world.loads(), []);
});

test('no copy exceeds the limit of its claim, in bytes or in money', async () => {
  await using world = await start();
  await world.price('m1', '0.5');
  await world.policy(['m2']);
  await world.work();
  await world.claim('need', { copyLimit: { bytes: '1Mi', cost: '9' } });
  await world.settle();
  const small = await world.told('need');
  assert.equal(small.reason, 'OverLimit');
  assert.match(small.message, /it is 1\.00GiB, and the claim has 1\.00MiB left to copy/);
  await world.edit('need', { copyLimit: { bytes: '2Gi', cost: null } });
  await world.settle();
  const poor = await world.told('need');
  assert.equal(poor.reason, 'OverLimit');
  assert.match(poor.message, /it costs 0\.5, and the claim has 0 left to spend/);
  assert.deepEqual(await world.loads(), []);
  await world.edit('need', { copyLimit: { bytes: '2Gi', cost: '0.5' } });
  await world.settle();
  const { copied, reason } = await world.told('need');
  assert.deepEqual([reason, copied], ['Copying', { copies: 1, bytes: GIB, cost: '0.5' }]);
});

test('a copy that turns out to be more than its claim allows is stopped', async () => {
  await using world = await start();
  await world.policy(['m2']);
  await world.work();
  await world.claim('need', { copyLimit: { bytes: '2Gi' } });
  await world.settle();
  const [load] = await world.loads();
  const { name = '' } = load?.metadata ?? {};
  const status = { progress: { bytesTotal: 3 * GIB, bytesDone: 1 } };
  await world.client.patch(
    DataLoad,
    here(name),
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
  await world.settle();
  const { reason, message } = await world.told('need');
  assert.equal(reason, 'CopyStopped');
  assert.match(message, /it is 3\.00GiB by now, and the claim has 2\.00GiB left to copy/);
  assert.equal(await world.state('DataLoad', name), 'Failed Cancelled');
  await world.settle(600_000);
  assert.equal((await world.loads()).length, 1, 'it is not tried again');
});

test('a copy that failed is not made again by itself, but when the claim changes or it is retried', async () => {
  await using world = await start();
  await world.policy(['m2']);
  await world.work();
  await world.claim('need', { copyLimit: { bytes: '2Gi' } });
  await world.settle();
  await world.finish('m2', 'failed');
  const failed = await world.told('need');
  assert.equal(failed.reason, 'CopyFailed');
  await world.settle(600_000);
  assert.equal((await world.loads()).length, 1);
  await world.change('DataLoad', failed.copy?.operation ?? '', {
    metadata: { annotations: { 'flows.perigee.io/retry': 'again' } },
  });
  await world.settle();
  assert.equal((await world.told('need')).reason, 'Copying');
  await world.finish('m2', 'failed');
  assert.equal((await world.told('need')).reason, 'CopyFailed');
  await world.edit('need', { copyLimit: { bytes: '3Gi' } });
  await world.settle();
  assert.equal((await world.loads()).length, 2, 'a change of the claim is another try');
  await world.finish('m2', 'failed');
  await world.edit('need', { copyLimit: { bytes: '2500Mi' } });
  await world.settle();
  const { reason, copied } = await world.told('need');
  assert.equal(reason, 'OverLimit', 'what failed has been spent');
  assert.equal(copied?.copies, 2);
});

test('it waits for room where the data is for as long as a copy takes, and copies then', async () => {
  await using world = await start({ members: ['m1', 'm2'], bytes: 10 * GIB });
  await world.policy(['m1', 'm2']);
  await world.work('filler', '99');
  await world.claim('fill', { onMissing: null, copyLimit: null }, 'filler');
  await world.settle();
  assert.deepEqual(await world.placed('filler'), ['m1']);
  const resourceSummary = {
    allocatable: { cpu: '100', memory: '100Gi', pods: '110' },
    allocated: { cpu: '99' },
  };
  const body = { status: { resourceSummary } };
  const patch = { type: 'merge', body } as const;
  await world.client.patch(MemberCluster, { name: 'm1' }, patch, { subresource: 'status' });
  await world.claim('need');
  await world.work('train', '4');
  await world.settle(10_000);
  const waiting = await world.told('need');
  assert.equal(waiting.reason, 'WaitingIsSooner');
  assert.match(waiting.message, /waits for room in m1; it is copied to m2 once .* 1m43s/);
  assert.deepEqual(await world.loads(), []);
  await world.settle(120_000);
  assert.equal((await world.told('need')).reason, 'Copying');
  assert.equal((await world.loads()).length, 1);
});

test('two claims for the same data have it copied once', async () => {
  await using world = await start();
  await world.policy(['m2']);
  await world.work();
  await world.work('second');
  await Promise.all([world.claim('need'), world.claim('also', {}, 'second')]);
  await world.settle();
  assert.equal((await world.loads()).length, 1);
  const reasons = [(await world.told('need')).reason, (await world.told('also')).reason];
  assert.deepEqual(reasons.sort(), ['Copying', 'OnItsWay']);
  const [load] = await world.loads();
  await world.reportLine('m2', load?.metadata.name ?? '', done(GIB), 'complete');
  await world.settle(60_000);
  assert.equal((await world.loads()).length, 1);
  assert.deepEqual([await world.placed(), await world.placed('second')], [['m2'], ['m2']]);
});

test('a crash between the decision and the DataLoad makes it once all the same', async () => {
  let isDown = false;
  const reach = (client: Client): Client =>
    new Proxy(client, {
      get: (target, verb) => {
        const method = Reflect.get(target, verb);
        if (typeof method !== 'function' || verb !== 'create') return method?.bind?.(target);
        return async (...args: readonly [ResourceKind, ...unknown[]]) => {
          if (isDown && args[0] === DataLoad) throw new ConnectionError('the process is gone');
          return method.apply(target, args);
        };
      },
    });
  await using world = await start({ reach });
  isDown = true;
  await world.policy(['m2']);
  await world.work();
  await world.claim('need');
  await world.settle();
  const decided = await world.told('need');
  assert.equal(decided.copy?.phase, 'Planned');
  assert.deepEqual(await world.loads(), []);
  await world.restart(async () => {
    isDown = false;
  });
  await world.settle();
  const loads = await world.loads();
  assert.deepEqual(
    loads.map(({ metadata }) => metadata.name),
    [decided.copy?.operation],
  );
  assert.equal((await world.told('need')).copied?.copies, 1);
});

test('a claim that does not ask any more, or is deleted, takes its copy with it', async () => {
  await using world = await start();
  await world.policy(['m2']);
  await world.work();
  await world.claim('need');
  await world.settle();
  const [load] = await world.loads();
  const { name = '' } = load?.metadata ?? {};
  await world.edit('need', { onMissing: 'Wait', copyLimit: null });
  await world.settle();
  assert.equal(await world.state('DataLoad', name), 'Failed Cancelled');
  assert.equal((await world.told('need')).copy?.phase, 'Failed');
});

test('only a Dataset of the own namespace is copied, whatever a DataSource says that it is', async () => {
  await using world = await start();
  await world.client.create(DataSource, {
    metadata: { name: 'trap' },
    spec: {
      system: 'fluid',
      type: 'dataset',
      name: 'other/secret',
      locality: { clusterNames: ['m1'] },
    },
  });
  await world.policy(['m2']);
  await world.work();
  await world.claim('need', { dataSourceName: 'other/secret' });
  await world.claim('trapped', { dataSourceName: 'trap' });
  await world.settle();
  assert.equal((await world.told('need')).reason, 'NotADataset');
  assert.equal((await world.told('trapped')).reason, 'NotADataset');
  assert.deepEqual(await world.loads(), []);
});

test('a claim waits for a copy that somebody else makes', async () => {
  await using world = await start();
  await world.create('DataLoad', 'mine', on('m3'));
  await world.settle();
  await world.policy(['m2']);
  await world.work();
  await world.claim('need');
  await world.settle();
  const { reason, message } = await world.told('need');
  assert.equal(reason, 'OnItsWay');
  assert.match(message, /DataLoad mine/);
  await world.reportLine('m3', 'mine', done(GIB), 'complete');
  await world.settle();
  assert.equal((await world.told('need')).reason, 'Copying');
});

test('of several claims of one work, the later go where the earlier go', async () => {
  await using world = await start();
  await world.client.create(Dataset, { metadata: here('more'), spec: {} });
  await world.create('DataMigrate', 'fetch', { to: { dataset: { name: 'more' } }, ...on('m3') });
  await world.settle();
  await world.reportLine('m3', 'fetch', done(GIB), 'complete');
  await world.policy(['m1', 'm2', 'm3']);
  await world.work();
  await world.claim('a', {});
  await world.claim('b', { dataSourceName: 'default/more' });
  await world.settle();
  const loads = await world.loads();
  assert.deepEqual(
    loads.map(({ spec }) => [spec.dataset.name, spec.placement]),
    [['more', { clusterAffinity: { clusterNames: ['m1'] } }]],
  );
  await world.reportLine('m1', loads[0]?.metadata.name ?? '', done(GIB), 'complete');
  await world.settle();
  assert.deepEqual(await world.placed(), ['m1']);
});

test('several claims of one work have their data copied to one cluster that suits all of them', async () => {
  await using world = await start({ members: ['m1', 'm2', 'm3', 'm4'] });
  await world.client.create(Dataset, { metadata: here('more'), spec: {} });
  await world.create('DataMigrate', 'fetch', { to: { dataset: { name: 'more' } }, ...on('m3') });
  await world.settle();
  await world.reportLine('m3', 'fetch', done(GIB), 'complete');
  const egress = [{ to: 'm2', pricePerGiB: '5' }];
  const spec = { type: 'virtual', dataTransfer: { egress } };
  await world.client.create(ClusterRecord, { metadata: { name: 'm3' }, spec } as never);
  await world.policy(['m2', 'm4']);
  // Alone, the first would take m2, which the second cannot afford. Both are there before the work waits for them.
  await world.claim('a', {});
  await world.claim('b', {
    dataSourceName: 'default/more',
    copyLimit: { bytes: '2Gi', cost: '1' },
  });
  await world.settle();
  await world.work();
  await world.settle();
  const loads = await world.loads();
  assert.deepEqual(
    loads.map(({ spec: { dataset, placement } }) => [
      dataset.name,
      placement?.clusterAffinity?.clusterNames,
    ]),
    [
      ['more', ['m4']],
      ['raw', ['m4']],
    ],
  );
  for (const { metadata } of loads)
    await world.reportLine('m4', metadata.name, done(GIB), 'complete');
  await world.settle();
  assert.deepEqual(await world.placed(), ['m4']);
});
