import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { knownOffer } from '@perigee/scheduling/clusters/inventory/known-offer';
import { shardedClusters } from '@perigee/scheduling/clusters/sharding/sharded-clusters';
import { unionOfClusters } from '../../../src/clusters/sharding/union-of-clusters.ts';

const STATUS = {
  capacity: { cpu: '100', memory: '204800Mi' },
  flavors: [{ flavorID: 'm1.huge', totalCapacity: 2, cpu: 48, memory: 98_304 }],
};

const cluster = (spec: object): ClusterRecord =>
  ({
    metadata: { name: 'osaka', uid: 'u' },
    spec: { type: 'openstack', ...spec },
    status: STATUS,
  }) as unknown as ClusterRecord;

test('where the record says nothing, what the cluster said of itself counts', () => {
  assert.deepEqual(knownOffer(cluster({})), {
    flavors: [{ flavorID: 'm1.huge', totalCapacity: 2 }],
    cpuCapacity: 100,
    memCapacity: 200,
  });
  assert.equal(knownOffer(cluster({ cpuCapacity: 8 })).cpuCapacity, 8);
});

test('a cloud is shared out with what it says of itself', () => {
  const [sharded] = shardedClusters([cluster({})], () => undefined);
  assert.equal(sharded?.weight, 100);
  const { flavors, cpuCapacity, memCapacity } = unionOfClusters([cluster({})]);
  assert.deepEqual(flavors, [{ flavorID: 'm1.huge', totalCapacity: 2, clusterCount: 1 }]);
  assert.deepEqual({ cpuCapacity, memCapacity }, { cpuCapacity: 100, memCapacity: 200 });
});
