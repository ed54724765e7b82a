import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runtimeKinds } from '../../../src/kinds/flows/runtimes.ts';
import { stored } from '../admission.ts';

const kindNamed = (name: string) => {
  const found = runtimeKinds.find(({ kind }) => kind === name);
  assert.ok(found, name);
  return found;
};

test('a runtime of Fluid is kept as it is written', () => {
  const spec = {
    replicas: 2,
    tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', quota: '2Gi' }] },
    properties: { 'alluxio.user.block.size.bytes.default': '256MB' },
  };
  const written = { metadata: { name: 'hbase', namespace: 'default' }, spec };
  assert.deepEqual(stored(kindNamed('AlluxioRuntime'), written).spec as unknown, spec);
});

test('a runtime without a spec, and a class with fields beside it, are kept too', () => {
  const bare = { metadata: { name: 'v', namespace: 'default' } };
  assert.deepEqual(stored(kindNamed('VineyardRuntime'), bare).spec as unknown, {});
  const topology = { worker: { template: { spec: { containers: [] } } } };
  const written = { metadata: { name: 'curvine' }, fileSystemType: 'curvine-fuse', topology };
  const kept = stored(kindNamed('CacheRuntimeClass'), written) as unknown as typeof written;
  assert.equal(kept.fileSystemType, 'curvine-fuse');
  assert.deepEqual(kept.topology, topology);
});
