import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { Work } from '@perigee/api/kinds/placement/work';
import { datasetController } from '@perigee/controllers/flows/dataset-controller';
import { Metrics } from '@perigee/kube/observe/metrics';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { Secret } from '@perigee/kubernetes/core/secret';
import { Service } from '@perigee/kubernetes/core/service';
import { dataTransfersController } from '../../src/flows/data-transfers-controller.ts';
import { producedDatasetController } from '../../src/flows/produced-dataset-controller.ts';
import { startFlowWorld } from './flow-world.ts';

const TRANSFER = 'policy.perigee.io/transfer';
const on = (...clusterNames: readonly string[]) => ({
  placement: { clusterAffinity: { clusterNames } },
});
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const RESULT = { result: { bytes: 2048, files: 3, digest: 'tree1:d' } };

/** Members of which the first has all of the dataset raw, which has no mounts. */
const start = async (members = ['m1', 'm2', 'm3']) => {
  const metrics = new Metrics();
  const world = await startFlowWorld({
    members,
    metrics,
    further: () => [datasetController(), producedDatasetController(), dataTransfersController({})],
  });
  for (const name of members) await world.setPods(name, 'processes');
  const here = (name: string) => ({ namespace: 'default', name });
  await world.client.create(Dataset, { metadata: here('raw'), spec: {} });
  await world.create('DataMigrate', 'bring', on('m1'));
  await world.settle();
  await world.report('m1', 'bring', 'complete', RESULT);
  const decode = (secret: Secret | undefined, key: string) =>
    Buffer.from(secret?.data?.[key] ?? '', 'base64').toString();
  return {
    ...world,
    here,
    metrics,
    /** Has the pod of the Job that serves say that it does, or why it cannot. */
    serve: (name: string, line: object) =>
      world.reportLine('m1', `serve-${name}`, line, 'port' in line ? 'active' : 'failed'),
    transferWorks: async () =>
      (await world.client.list(Work, {})).items.filter(
        ({ metadata }) => metadata.annotations?.[TRANSFER] !== undefined,
      ),
    serving: async (member: string, name: string) => {
      const job = (await world.jobsIn(member)).find(({ metadata }) =>
        metadata.name.startsWith(`serve-${name}-`),
      );
      const of = job?.metadata.name ?? '';
      const files = await world.member(member).find(ConfigMap, of);
      return {
        job,
        order:
          files === undefined ? undefined : JSON.parse(files.data?.['serve.json'] ?? '{}').serve,
        key: decode(await world.member(member).find(Secret, of), 'tls.key'),
        service: await world.member(member).find(Service, of),
      };
    },
    pulling: async (member: string, name: string) => {
      const of = (await world.job(member, name))?.metadata.name ?? '';
      const files = await world.member(member).find(ConfigMap, of);
      const token = decode(await world.member(member).find(Secret, of), 'token');
      return { order: files && JSON.parse(files.data?.['order.json'] ?? '{}'), token };
    },
    copies: async (name = 'raw') => {
      const { status } = await world.client.get(Dataset, here(name));
      return Object.fromEntries((status?.clusters ?? []).map((one) => [one.name, one.state]));
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
};

test('a dataset goes from the cluster that has it to another one, and nothing is left behind', async () => {
  await using world = await start();
  await world.create('DataLoad', 'spread', on('m2'));
  await world.settle();
  assert.deepEqual((await world.get('DataLoad', 'spread')).status?.transfer, {
    from: 'm1',
    path: 'Direct',
  });
  const { job, order, key } = await world.serving('m1', 'spread');
  const { volumes = [], containers } = job?.spec.template.spec ?? { containers: [] };
  assert.deepEqual(
    volumes.find(({ persistentVolumeClaim: claim }) => claim !== undefined)?.persistentVolumeClaim,
    { claimName: 'raw' },
  );
  assert.equal(
    (containers[0]?.volumeMounts?.at(-1) as { readOnly?: boolean } | undefined)?.readOnly,
    true,
    'it is only read',
  );
  assert.deepEqual([order.host, order.port], ['127.0.0.1', 0]);
  assert.match(key, /PRIVATE KEY/);
  assert.deepEqual(await world.pulling('m2', 'spread'), { order: undefined, token: '' });

  await world.serve('spread', { type: 'serving', port: 4711 });
  const pulling = await world.pulling('m2', 'spread');
  assert.equal(pulling.order.from.kind, 'peer');
  assert.equal(pulling.order.from.url, 'https://127.0.0.1:4711/0');
  assert.match(pulling.order.from.pinnedCertificate, /^[0-9a-f]{64}$/);
  const digest = createHash('sha256').update(pulling.token).digest('hex');
  assert.deepEqual((await world.serving('m1', 'spread')).order.tokens, [digest]);
  assert.equal((await world.serving('m1', 'spread')).order.port, 4711, 'it comes back there');
  assert.deepEqual(await world.copies(), { m1: 'Complete', m2: 'Loading' });

  await world.report('m2', 'spread', 'complete', RESULT);
  assert.equal(await world.state('DataLoad', 'spread'), 'Complete Succeeded');
  assert.deepEqual(await world.copies(), { m1: 'Complete', m2: 'Complete' });
  assert.deepEqual(await world.transferWorks(), []);
  const after = await world.serving('m1', 'spread');
  assert.deepEqual([after.job, after.order, after.key], [undefined, undefined, '']);
  assert.deepEqual(await world.pulling('m2', 'spread'), { order: undefined, token: '' });

  const told = JSON.stringify([
    (await world.client.list(Event, {})).items,
    await world.get('DataLoad', 'spread'),
    await world.templates(),
  ]);
  assert.equal(told.includes(pulling.token), false, 'no event, status or Job tells the token');
});

test('each cluster has a token of its own, and each attempt has new ones', async () => {
  await using world = await start();
  await world.create('DataLoad', 'spread', on('m2', 'm3'));
  await world.settle();
  await world.serve('spread', { type: 'serving', port: 4711 });
  const second = await world.pulling('m2', 'spread');
  const third = await world.pulling('m3', 'spread');
  assert.notEqual(second.token, third.token);
  await world.report('m2', 'spread', 'complete', RESULT);
  const digest = createHash('sha256').update(third.token).digest('hex');
  assert.deepEqual(
    (await world.serving('m1', 'spread')).order.tokens,
    [digest],
    'a pod that starts again takes no token that is spent',
  );
  await world.report('m3', 'spread', 'failed');
  assert.deepEqual(await world.transferWorks(), []);
  await world.change('DataLoad', 'spread', {
    metadata: { annotations: { 'flows.perigee.io/retry': 'again' } },
  });
  await world.settle();
  const again = (await world.jobsIn('m1')).filter(({ metadata }) =>
    metadata.name.startsWith('serve-spread-'),
  );
  assert.equal(again.length, 1);
  assert.deepEqual(Object.keys(await world.copies()).sort(), ['m1', 'm2', 'm3']);
  assert.notEqual((await world.copies()).m3, 'Complete', 'half a copy is none');
});

test('a token that is spent stays so when the server is replaced, whatever is known by then', async () => {
  await using world = await start();
  await world.create('DataLoad', 'spread', on('m2'));
  await world.settle();
  await world.serve('spread', { type: 'serving', port: 4711 });
  const first = await world.serving('m1', 'spread');
  const { token: spent } = await world.pulling('m2', 'spread');
  assert.equal(first.job?.spec.backoffLimit, 0, 'no pod follows that has the same tokens');
  // The mover has everything, and its cluster has not told it when the server dies.
  await world.report('m1', 'serve-spread', 'failed');
  const second = await world.serving('m1', 'spread');
  assert.notEqual(second.job?.metadata.name, first.job?.metadata.name);
  assert.equal(await world.state('DataLoad', 'spread'), 'Executing Started');
  assert.equal(second.order.port, 4711, 'movers find it where it was');
  assert.equal(second.order.tokens.includes(sha256(spent)), false);
  const { token } = await world.pulling('m2', 'spread');
  assert.deepEqual(second.order.tokens, [sha256(token)], 'who needs it gets another one');
  // From the second time on there is a pause.
  await world.report('m1', 'serve-spread', 'failed');
  assert.deepEqual((await world.serving('m1', 'spread')).order.tokens, [sha256(token)]);
  await world.clock.advance(10_000);
  await world.settle();
  const third = await world.serving('m1', 'spread');
  for (const old of [spent, token]) assert.equal(third.order.tokens.includes(sha256(old)), false);
  await world.report('m2', 'spread', 'complete', RESULT);
  assert.equal(await world.state('DataLoad', 'spread'), 'Complete Succeeded');
  assert.deepEqual(await world.transferWorks(), []);
});

test('a dataset that lies elsewhere is migrated into another one, without a claim of its own there', async () => {
  await using world = await start();
  await world.client.create(Dataset, { metadata: world.here('copy'), spec: {} });
  await world.create('DataMigrate', 'move', {
    from: { dataset: { name: 'raw', path: 'images' } },
    to: { dataset: { name: 'copy' } },
    ...on('m2'),
  });
  await world.settle();
  await world.serve('move', { type: 'serving', port: 4712 });
  const { order } = await world.serving('m1', 'move');
  assert.deepEqual(
    order.trees.map(({ path }: { path: string }) => path),
    ['images'],
  );
  assert.equal((await world.pulling('m2', 'move')).order.to.kind, 'local');
  assert.equal(await world.member('m2').find(PersistentVolumeClaim, 'raw'), undefined);
  await world.report('m2', 'move', 'complete', RESULT);
  assert.deepEqual(await world.copies('copy'), { m2: 'Complete' });
  assert.deepEqual(await world.copies(), { m1: 'Complete' });
});

test('a dataset that a DataMigrate names by its URL comes from the cluster that has it', async () => {
  await using world = await start();
  await world.client.create(Dataset, { metadata: world.here('copy'), spec: {} });
  await world.create('DataMigrate', 'move', {
    from: { externalStorage: { uri: 'dataset://default/raw/images' } },
    to: { dataset: { name: 'copy' } },
    ...on('m2'),
  });
  await world.settle();
  assert.equal((await world.get('DataMigrate', 'move')).status?.transfer?.from, 'm1');
  const { order } = await world.serving('m1', 'move');
  assert.equal(order.trees[0].path, 'images');
});

test('a dataset that mounts another one is loaded from the cluster that has that', async () => {
  await using world = await start();
  const mounts = [{ mountPoint: 'dataset://default/raw/images', path: '/' }];
  await world.client.create(Dataset, { metadata: world.here('view'), spec: { mounts } });
  await world.create('DataLoad', 'load', { dataset: { name: 'view' }, ...on('m3') });
  await world.settle();
  assert.equal((await world.get('DataLoad', 'load')).status?.transfer?.from, 'm1');
  const { job, order } = await world.serving('m1', 'load');
  assert.equal(order.trees[0].path, 'images');
  assert.equal(job?.spec.template.spec.volumes?.at(-1)?.persistentVolumeClaim?.claimName, 'raw');
});

test('a dataset that mounts a product is loaded from the claim that the product lies in', async () => {
  await using world = await start();
  await world.create('DataProcess', 'clean', {
    produces: [{ dataset: { name: 'clean' }, path: 'out' }],
    ...on('m1'),
  });
  await world.settle();
  await world.report('m1', 'clean', 'complete', RESULT);
  assert.deepEqual(await world.copies('clean'), { m1: 'Complete' });
  const mounts = [{ mountPoint: 'dataset://default/clean/part', path: '/' }];
  await world.client.create(Dataset, { metadata: world.here('view'), spec: { mounts } });
  await world.create('DataLoad', 'far', { dataset: { name: 'view' }, ...on('m2') });
  await world.settle();
  assert.equal((await world.get('DataLoad', 'far')).status?.transfer?.from, 'm1');
  const { job, order } = await world.serving('m1', 'far');
  assert.equal(order.trees[0].path, 'out/part');
  assert.equal(job?.spec.template.spec.volumes?.at(-1)?.persistentVolumeClaim?.claimName, 'raw');
  await world.serve('far', { type: 'serving', port: 4711 });
  assert.equal((await world.pulling('m2', 'far')).order.from.kind, 'peer');
  await world.report('m2', 'far', 'complete', RESULT);

  await world.create('DataLoad', 'near', { dataset: { name: 'view' }, ...on('m1') });
  await world.settle();
  const near = await world.job('m1', 'near');
  const claims = near?.spec.template.spec.volumes?.map(
    (one) => one.persistentVolumeClaim?.claimName,
  );
  assert.deepEqual(claims?.filter(Boolean).sort(), ['raw', 'view']);
});

test('a dataset is read where it lies: in the claim of another one here, in its own there', async () => {
  await using world = await start();
  const claimsOf = async (member: string, name: string) => {
    const { volumes = [] } = (await world.job(member, name))?.spec.template.spec ?? {};
    return volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []).sort();
  };
  const model = { dataset: { name: 'model', mountPath: '/data' } };
  const produces = [{ dataset: { name: 'model' }, path: 'out' }];
  await world.create('DataProcess', 'make', { produces, ...on('m1') });
  const runAfter = { kind: 'DataProcess', name: 'make' };
  await world.create('DataBackup', 'save', { dataset: 'model', runAfter });
  await world.settle();
  await world.report('m1', 'make', 'complete', RESULT);
  await world.settle(30_000);
  assert.deepEqual(await claimsOf('m1', 'save'), ['backups', 'raw'], 'as soon as it is there');
  await world.create('DataLoad', 'load', { dataset: { name: 'model' }, ...on('m2') });
  await world.settle();
  await world.serve('load', { type: 'serving', port: 4711 });
  await world.report('m2', 'load', 'complete', RESULT);
  assert.deepEqual(await world.copies('model'), { m1: 'Complete', m2: 'Complete' });

  await world.create('DataProcess', 'here', { ...model, ...on('m1') });
  await world.create('DataProcess', 'there', { ...model, ...on('m2') });
  await world.create('DataProcess', 'both', { ...model, ...on('m1', 'm2') });
  await world.create('DataProcess', 'any', model);
  await world.create('DataMigrate', 'out', {
    from: { dataset: { name: 'model' } },
    to: { externalStorage: { uri: 'pvc://nas' } },
    ...on('m1'),
  });
  await world.settle();
  assert.deepEqual(await claimsOf('m1', 'here'), ['raw']);
  assert.deepEqual(await claimsOf('m2', 'there'), ['model']);
  assert.deepEqual(await claimsOf('m1', 'out'), ['nas', 'raw']);
  assert.equal(await world.state('DataProcess', 'both'), 'Failed NotSupported');
  const [cluster] = (await world.get('DataProcess', 'any')).status?.clusters ?? [];
  const own = { m1: ['raw'], m2: ['model'] }[cluster?.name ?? ''];
  assert.deepEqual(await claimsOf(cluster?.name ?? 'm1', 'any'), own);
});

test('without a way between the clusters it fails at once; a real cluster announces its ports', async () => {
  await using world = await start();
  const pods = { metadata: { annotations: { 'member.perigee.io/pods': null } } };
  await world.client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body: pods });
  await world.settle();
  await world.create('DataLoad', 'spread', on('m2'));
  await world.settle();
  assert.equal(await world.state('DataLoad', 'spread'), 'Failed NoPathBetweenClusters');
  assert.deepEqual(await world.transferWorks(), []);

  const egress = [{ to: 'm2', bytesPerSecond: '100Mi', pricePerGiB: '0.09' }];
  const dataTransfer = { address: '198.51.100.7:31000-31001', egress };
  const spec = { dataTransfer };
  await world.client.create(ClusterRecord, { metadata: { name: 'm1' }, spec } as never);
  await world.settle();
  await world.change('DataLoad', 'spread', {
    metadata: { annotations: { 'flows.perigee.io/retry': 'again' } },
  });
  await world.settle();
  const { service, order } = await world.serving('m1', 'spread');
  const [port] = service?.spec?.ports ?? [];
  const { nodePort = 0 } = (port ?? {}) as { nodePort?: number };
  assert.ok(nodePort === 31_000 || nodePort === 31_001);
  assert.deepEqual([order.host, order.port, order.bytesPerSecond], ['::', 8443, 100 * 2 ** 20]);
  const { job } = await world.serving('m1', 'spread');
  const labels: { readonly [label: string]: string } = job?.spec.template.metadata?.labels ?? {};
  const selector = Object.entries(service?.spec?.selector ?? {});
  assert.equal(selector.length, 1);
  for (const [label, value] of selector) {
    assert.equal(labels[label], value);
    const known = createHash('sha256')
      .update(job?.metadata.name ?? '')
      .digest('hex');
    assert.notEqual(value, known.slice(0, 40), 'nobody knows it before');
    assert.match(value, /^[0-9a-f]{40}$/);
  }
  await world.serve('spread', { type: 'serving', port: 8443 });
  const { order: pulled } = await world.pulling('m2', 'spread');
  assert.equal(pulled.from.url, `https://198.51.100.7:${nodePort}/0`);
});

test('what it cost to get the data out is told in the end, when there is a price', async () => {
  await using world = await start();
  const egress = [{ to: 'm2', pricePerGiB: '0.5' }];
  const spec = { type: 'virtual', dataTransfer: { egress } };
  await world.client.create(ClusterRecord, { metadata: { name: 'm1' }, spec } as never);
  await world.create('DataLoad', 'spread', on('m2'));
  await world.settle();
  const line = {
    type: 'result',
    bytes: 2 ** 31,
    bytesCopied: 2 ** 30,
    files: 2,
    retries: 3,
    digest: 'd',
  };
  await world.reportLine('m2', 'spread', line, 'complete');
  const { status } = await world.get('DataLoad', 'spread');
  assert.deepEqual(status?.clusters?.[0]?.result, {
    bytes: 2 ** 31,
    bytesCopied: 2 ** 30,
    files: 2,
    retries: 3,
    digest: 'd',
    cost: '0.5',
  });
  const counted = world.metrics.expose();
  assert.match(counted, /perigee_data_transfer_bytes_total\{from="m1",to="m2"\} 1073741824/);
  assert.match(counted, /perigee_data_transfer_cost_total\{from="m1",to="m2"\} 0.5/);
  assert.match(counted, /perigee_data_operations_total\{kind="DataLoad",phase="Complete"\} 1/);
});

test('copies that take the same way share it, and have it alone when the others end', async () => {
  await using world = await start();
  const egress = [{ to: '*', bytesPerSecond: '90Mi' }];
  const spec = { type: 'virtual', dataTransfer: { egress } };
  await world.client.create(ClusterRecord, { metadata: { name: 'm1' }, spec } as never);
  for (const name of ['one', 'two', 'three']) {
    await world.client.create(Dataset, { metadata: world.here(name), spec: {} });
    await world.create('DataMigrate', `to-${name}`, {
      from: { dataset: { name: 'raw' } },
      to: { dataset: { name } },
      ...on(name === 'three' ? 'm3' : 'm2'),
    });
  }
  await world.settle();
  const rate = async (name: string) => (await world.serving('m1', name)).order.bytesPerSecond;
  assert.deepEqual(
    [await rate('to-one'), await rate('to-two'), await rate('to-three')],
    [45 * 2 ** 20, 45 * 2 ** 20, 90 * 2 ** 20],
  );
  await world.serve('to-one', { type: 'serving', port: 4711 });
  await world.report('m2', 'to-one', 'complete', RESULT);
  assert.equal(await rate('to-two'), 90 * 2 ** 20);
});

test('a copy to several clusters leaves its part of the way to one when it is complete there', async () => {
  await using world = await start();
  const egress = [
    { to: 'm2', bytesPerSecond: '90Mi' },
    { to: 'm3', bytesPerSecond: '200Mi' },
  ];
  const spec = { type: 'virtual', dataTransfer: { egress } };
  await world.client.create(ClusterRecord, { metadata: { name: 'm1' }, spec } as never);
  for (const [name, ...clusters] of [
    ['both', 'm2', 'm3'],
    ['one', 'm2'],
  ] as const) {
    await world.client.create(Dataset, { metadata: world.here(name), spec: {} });
    await world.create('DataMigrate', `to-${name}`, {
      from: { dataset: { name: 'raw' } },
      to: { dataset: { name } },
      ...on(...clusters),
    });
  }
  await world.settle();
  const rate = async (name: string) => (await world.serving('m1', name)).order.bytesPerSecond;
  assert.deepEqual([await rate('to-both'), await rate('to-one')], [45 * 2 ** 20, 45 * 2 ** 20]);
  await world.serve('to-both', { type: 'serving', port: 4711 });
  await world.report('m2', 'to-both', 'complete', RESULT);
  assert.deepEqual([await rate('to-both'), await rate('to-one')], [200 * 2 ** 20, 90 * 2 ** 20]);
});

test('objects of tenants by the name of a run replace neither its orders nor its token', async () => {
  await using world = await start();
  await world.create('DataLoad', 'spread', on('m2'));
  await world.settle();
  const { name = '' } = (await world.job('m2', 'spread'))?.metadata ?? {};
  const data = { 'order.json': '{"from":{"kind":"http","url":"https://evil.example/"}}' };
  await world.client.create(ConfigMap, { metadata: world.here(name), data });
  const token = Buffer.from('another').toString('base64');
  await world.client.create(Secret, { metadata: world.here(name), data: { token } } as never);
  await world.settle();
  assert.deepEqual(await world.pulling('m2', 'spread'), { order: undefined, token: '' });
  await world.serve('spread', { type: 'serving', port: 4711 });
  const { order, token: own } = await world.pulling('m2', 'spread');
  assert.deepEqual([order.from.kind, own.length], ['peer', 43]);
});

test('when the cluster that has the data cannot serve it, the operation fails and says why', async () => {
  await using world = await start();
  await world.create('DataLoad', 'spread', on('m2'));
  await world.settle();
  await world.serve('spread', { type: 'failure', reason: 'PermissionDenied', message: 'a/b' });
  const { status } = await world.get('DataLoad', 'spread');
  assert.equal(await world.state('DataLoad', 'spread'), 'Failed SourceFailed');
  assert.match(
    status?.conditions[0]?.message ?? '',
    /m1 does not serve the data: PermissionDenied/,
  );
  assert.deepEqual(await world.transferWorks(), []);
});

test('when the data is gone from the cluster that was to serve it, the operation fails and says why', async () => {
  await using world = await start();
  await world.create('DataLoad', 'spread', on('m2'));
  await world.settle();
  await world.member('m1').admin.delete(PersistentVolumeClaim, world.here('raw'));
  await world.settle();
  assert.deepEqual(await world.copies(), { m1: 'Evicted' });
  const { status } = await world.get('DataLoad', 'spread');
  assert.equal(await world.state('DataLoad', 'spread'), 'Failed SourceFailed');
  assert.match(
    status?.conditions[0]?.message ?? '',
    /m1 does not have the data of the dataset raw/,
  );
  assert.deepEqual(await world.transferWorks(), []);
});

test('what is in no cluster any more is not saved from the empty claim of another one', async () => {
  await using world = await start();
  const placed = async (kind: 'DataBackup' | 'DataMigrate' | 'DataLoad', name: string) =>
    (await world.get(kind, name)).status?.conditions.find(({ type }) => type === 'Placed')?.reason;
  await world.client.create(Dataset, { metadata: world.here('other'), spec: {} });
  await world.create('DataMigrate', 'second', { to: { dataset: { name: 'other' } }, ...on('m2') });
  await world.settle();
  await world.report('m2', 'second', 'complete', RESULT);
  const mounts = ['raw', 'other'].map((name) => ({
    mountPoint: `dataset://default/${name}`,
    name,
  }));
  await world.client.create(Dataset, { metadata: world.here('view'), spec: { mounts } });
  await world.create('DataLoad', 'load', { dataset: { name: 'view' } });
  await world.settle();
  assert.equal(await placed('DataLoad', 'load'), 'NoCopy', 'no cluster has both');
  await world.member('m1').admin.delete(PersistentVolumeClaim, world.here('raw'));
  await world.settle();
  await world.create('DataBackup', 'save');
  await world.create('DataMigrate', 'out', {
    from: { dataset: { name: 'raw' } },
    to: { externalStorage: { uri: 'pvc://nas' } },
    ...on('m3'),
  });
  await world.settle();
  assert.deepEqual(
    [await placed('DataBackup', 'save'), await placed('DataMigrate', 'out')],
    ['NoCopy', 'NoCopy'],
  );
  await world.create('DataMigrate', 'again', on('m3'));
  await world.settle();
  await world.report('m3', 'again', 'complete', RESULT);
  await world.settle(20_000);
  assert.equal((await world.get('DataBackup', 'save')).status?.clusters?.[0]?.name, 'm3');
});

test('all ports that a cluster announces are taken: who comes next waits for one', async () => {
  await using world = await start();
  const pods = { metadata: { annotations: { 'member.perigee.io/pods': null } } };
  await world.client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body: pods });
  const spec = { dataTransfer: { address: '198.51.100.7:31000' } };
  await world.client.create(ClusterRecord, { metadata: { name: 'm1' }, spec } as never);
  for (const name of ['one', 'two']) {
    await world.client.create(Dataset, { metadata: world.here(name), spec: {} });
    await world.create('DataMigrate', `to-${name}`, {
      from: { dataset: { name: 'raw' } },
      to: { dataset: { name } },
      ...on('m2'),
    });
    await world.settle();
  }
  const portOf = async (name: string) => {
    const [port] = (await world.serving('m1', name)).service?.spec?.ports ?? [];
    return (port as { nodePort?: number } | undefined)?.nodePort;
  };
  assert.equal(await portOf('to-one'), 31_000);
  assert.equal((await world.serving('m1', 'to-two')).service, undefined, 'or it gets any port');
  await world.change('DataMigrate', 'to-one', { spec: { cancel: true } });
  await world.settle();
  assert.equal(await portOf('to-two'), 31_000);
});

test('an operation that is deleted, or cancelled, in the middle leaves nothing that listens', async () => {
  await using world = await start();
  await world.create('DataLoad', 'spread', on('m2'));
  await world.settle();
  assert.notEqual((await world.serving('m1', 'spread')).job, undefined);
  await world.remove('DataLoad', 'spread');
  await world.settle();
  assert.deepEqual(await world.transferWorks(), []);
  assert.equal((await world.serving('m1', 'spread')).job, undefined);
  await world.create('DataLoad', 'other', on('m3'));
  await world.settle();
  await world.change('DataLoad', 'other', { spec: { cancel: true } });
  await world.settle();
  assert.equal(await world.state('DataLoad', 'other'), 'Failed Cancelled');
  assert.deepEqual(await world.transferWorks(), []);
});
