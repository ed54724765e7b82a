import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { shardedClusters } from '@perigee/scheduling/clusters/sharding/sharded-clusters';
import { unionOfClusters } from '../../../src/clusters/sharding/union-of-clusters.ts';

const cluster = (name: string, spec: Partial<ClusterRecord['spec']>): ClusterRecord => ({
  apiVersion: 'globalscheduler.com/v1',
  kind: 'Cluster',
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: '' },
  spec: { type: 'virtual', ...spec },
});

const bellevue = { city: 'Bellevue', province: 'Washington', area: 'West', country: 'US' };
const newYork = { city: 'New York', province: 'New York', area: 'East', country: 'US' };

const first = cluster('first', {
  geoLocation: bellevue,
  region: { region: 'us-west', availabilityZone: 'us-west-1' },
  operator: { operator: 'one' },
  flavors: [
    { flavorID: 'small', totalCapacity: 5 },
    { flavorID: 'large', totalCapacity: 20 },
  ],
  storage: [{ typeID: 'ssd', storageCapacity: 3000 }],
  eipCapacity: 3,
  cpuCapacity: 8,
  memCapacity: 256,
  serverPrice: 10,
});
const second = cluster('second', {
  geoLocation: bellevue,
  region: { region: 'us-west', availabilityZone: 'us-west-2' },
  operator: { operator: 'one' },
  flavors: [{ flavorID: 'small', totalCapacity: 7 }],
  storage: [{ typeID: 'ssd', storageCapacity: 500 }],
  cpuCapacity: 16,
  serverPrice: 7,
});
const third = cluster('third', { geoLocation: newYork, operator: { operator: 'two' } });

describe('the union of clusters', () => {
  it('adds up what clusters offer, by geography and by flavor', () => {
    assert.deepEqual(unionOfClusters([first, second, third]), {
      geoLocations: [
        { ...newYork, clusterCount: 1 },
        {
          ...bellevue,
          clusterCount: 2,
          eipCapacity: 3,
          cpuCapacity: 24,
          memCapacity: 256,
          flavors: [
            { flavorID: 'large', totalCapacity: 20, clusterCount: 1 },
            { flavorID: 'small', totalCapacity: 12, clusterCount: 2 },
          ],
          largest: { eipCapacity: 3, cpuCapacity: 16, memCapacity: 256 },
          lowestServerPrice: 7,
        },
      ],
      regions: [
        { region: 'us-west', availabilityZone: 'us-west-1', clusterCount: 1 },
        { region: 'us-west', availabilityZone: 'us-west-2', clusterCount: 1 },
      ],
      operators: [
        { operator: 'one', clusterCount: 2 },
        { operator: 'two', clusterCount: 1 },
      ],
      flavors: [
        { flavorID: 'large', totalCapacity: 20, clusterCount: 1 },
        { flavorID: 'small', totalCapacity: 12, clusterCount: 2 },
      ],
      storage: [{ typeID: 'ssd', storageCapacity: 3500, clusterCount: 2 }],
      eipCapacity: 3,
      cpuCapacity: 24,
      memCapacity: 256,
      lowestServerPrice: 7,
      highestServerPrice: 10,
    });
  });

  it('keeps what another cluster still has when one goes', () => {
    const left = unionOfClusters([second, third]);
    assert.deepEqual(
      left.geoLocations?.map(({ city, clusterCount }) => [city, clusterCount]),
      [
        ['New York', 1],
        ['Bellevue', 1],
      ],
    );
    assert.deepEqual(left.flavors, [{ flavorID: 'small', totalCapacity: 7, clusterCount: 1 }]);
    assert.deepEqual(
      left.operators?.map(({ operator }) => operator),
      ['one', 'two'],
    );
  });

  it('does not depend on the order, and is empty for nobody', () => {
    assert.deepEqual(
      unionOfClusters([third, second, first]),
      unionOfClusters([first, second, third]),
    );
    assert.deepEqual(unionOfClusters([]), {});
  });
});

describe('clusters as sharding sees them', () => {
  const seen = (clusters: readonly ClusterRecord[]) => shardedClusters(clusters, () => undefined);

  it('weigh what they can hold, a core as much as four GiB', () => {
    const weights = seen([first, second]).map(({ weight }) => weight);
    assert.deepEqual(weights, [64, 16]);
  });

  it('weigh as much as an average one when they do not say', () => {
    assert.equal(seen([first, second, third])[2]?.weight, 40);
    assert.equal(seen([third])[0]?.weight, 1);
  });

  it('are where their location says, else their region, else nowhere', () => {
    const { geoLocation: _, ...regional } = second.spec;
    const places = seen([first, cluster('r', regional), cluster('n', {})]).map(
      ({ place }) => place,
    );
    assert.deepEqual(places, [
      ['US', 'West', 'Washington', 'Bellevue'],
      ['us-west', 'us-west-2'],
      [],
    ]);
  });

  it('know their home and the wish of their administrator', () => {
    const wished = cluster('w', { homeScheduler: 'two' });
    const [found] = shardedClusters([wished], (name) => (name === 'w' ? 'one' : undefined));
    assert.equal(found?.home, 'one');
    assert.equal(found?.requestedHome, 'two');
  });
});
