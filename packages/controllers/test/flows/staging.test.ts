import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { Work } from '@perigee/api/kinds/placement/work';
import { datasetController } from '@perigee/controllers/flows/dataset-controller';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Secret } from '@perigee/kubernetes/core/secret';
import { parseStagingStore } from '@perigee/scheduling/flows/staging-store';
import { dataTransfersController } from '../../src/flows/data-transfers-controller.ts';
import { startFlowWorld } from './flow-world.ts';

const store = parseStagingStore(
  's3://staging/perigee?endpoint=https://s3.example.com&secret=store',
);
if ('problem' in store) throw new Error(store.problem);
const mover = { image: 'perigee:0.1.0', hostPaths: [], staging: store };
const on = (...clusterNames: readonly string[]) => ({
  placement: { clusterAffinity: { clusterNames } },
});

test('data goes through the store that the operator declares, where clusters announce no address', async () => {
  await using world = await startFlowWorld({
    members: ['m1', 'm2'],
    mover,
    further: () => [datasetController(), dataTransfersController({ mover })],
  });
  const here = (name: string) => ({ namespace: 'default', name });
  await world.client.create(Dataset, { metadata: here('raw'), spec: {} });
  await world.create('DataMigrate', 'bring', on('m1'));
  await world.settle();
  await world.report('m1', 'bring', 'complete');
  await world.create('DataLoad', 'spread', on('m2'));
  await world.settle();
  const { status } = await world.get('DataLoad', 'spread');
  assert.equal(await world.state('DataLoad', 'spread'), 'Failed NoPathBetweenClusters');
  assert.match(status?.conditions[0]?.message ?? '', /there is no Secret store with access-key/);

  const data = { 'access-key': 'a2V5', 'secret-key': 'c2VjcmV0' };
  await world.client.create(Secret, { metadata: here('store'), data } as never);
  await world.change('DataLoad', 'spread', {
    metadata: { annotations: { 'flows.perigee.io/retry': 'again' } },
  });
  await world.settle();
  assert.deepEqual((await world.get('DataLoad', 'spread')).status?.transfer, {
    from: 'm1',
    path: 'Staging',
  });
  const staging = await world.job('m1', 'serve-spread');
  const name = staging?.metadata.name ?? '';
  const orders = await world.member('m1').find(ConfigMap, name);
  const { from, to } = JSON.parse(orders?.data?.['order-0.json'] ?? '{}');
  assert.deepEqual([from.kind, to.kind, to.bucket], ['local', 's3', 'staging']);
  assert.match(to.path, /^perigee\/default\/spread-load-[0-9a-f]+\/0\/$/, 'each namespace apart');
  assert.equal(staging?.spec.activeDeadlineSeconds, 30 * 24 * 3600, 'it ends by itself');
  const pull = (await world.job('m2', 'spread'))?.metadata.name ?? '';
  assert.equal(await world.member('m2').find(ConfigMap, pull), undefined, 'it is not there yet');

  await world.report('m1', 'serve-spread', 'complete');
  const pulled = JSON.parse(
    (await world.member('m2').find(ConfigMap, pull))?.data?.['order.json'] ?? '{}',
  );
  assert.deepEqual([pulled.from.kind, pulled.from.path], ['s3', to.path]);
  assert.deepEqual((await world.member('m2').find(Secret, pull))?.data, data);
  assert.equal(JSON.stringify([orders?.data, pulled]).includes('secret-key":"'), false);
  await world.report('m2', 'spread', 'complete');
  assert.equal(await world.state('DataLoad', 'spread'), 'Complete Succeeded');
  const works = (await world.client.list(Work, {})).items.filter(
    ({ metadata }) => metadata.annotations?.['policy.perigee.io/transfer'] !== undefined,
  );
  assert.deepEqual(works, []);
});
