import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { Scheduler } from '../../../src/kinds/clusters/scheduler.ts';
import { assertRefused, stored } from '../admission.ts';

const canonical = {
  apiVersion: 'globalscheduler.com/v1',
  kind: 'Scheduler',
  metadata: { name: 'scheduler1' },
  spec: {
    location: { city: 'Bellevue', province: 'WA', area: 'Downtown', country: 'US' },
    tag: '1',
    ipAddress: '10.0.0.9',
    portNumber: 8080,
  },
};

const head =
  'apiVersion: globalscheduler.com/v1\nkind: Scheduler\nmetadata: { name: scheduler1 }\n';

const spellings = {
  canonical: `${head}
spec:
  location: { city: Bellevue, province: WA, area: Downtown, country: US }
  tag: "1"
  ipAddress: 10.0.0.9
  portNumber: 8080
`,
  'with the port as a string': `${head}
spec:
  location: { city: Bellevue, province: WA, area: Downtown, country: US }
  tag: "1"
  ipAddress: 10.0.0.9
  portNumber: "8080"
`,
  'shipped, with what is computed': `${head}
spec:
  location: { city: Bellevue, province: WA, area: Downtown, country: US }
  tag: "1"
  ipaddress: 10.0.0.9
  portnumber: "8080"
  cluster: [cluster1, cluster2]
  union:
    geolocation:
      - { city: Bellevue, province: WA, area: Downtown, country: US }
    region:
      - { region: NW, availabilityzone: az1 }
    operator:
      - { operator: globalscheduler }
    flavors:
      - { flavorid: "1", totalcapacity: 100 }
    storage:
      - { typeid: ssd, storagecapacity: 12 }
    eipcapacity: [100, 101]
    cpucapacity: [200, 201]
    memcapacity: [300, 301]
    serverprice: [400, 401]
`,
};

for (const [spelling, yaml] of Object.entries(spellings)) {
  test(`the ${spelling} form is stored canonically`, () => {
    assert.deepEqual(stored(Scheduler, parse(yaml)), canonical);
  });
}

test('a scheduler needs nothing but a name', () => {
  assert.deepEqual(stored(Scheduler, { ...canonical, spec: {} }).spec, {});
});

for (const [word, status] of Object.entries({
  Active: { phase: 'Active' },
  Delete: { phase: 'Draining' },
  Sleeping: undefined,
})) {
  test(`the status word ${word} becomes ${JSON.stringify(status)}`, () => {
    assert.deepEqual(stored(Scheduler, { ...canonical, status: word }).status, status);
  });
}

test('the status has the clusters, desired and in use, and their union', () => {
  const place = { city: 'Bellevue', province: 'Washington', area: 'West', country: 'US' };
  const status = {
    phase: 'Active',
    observedGeneration: 1,
    leaseName: 'scheduler1',
    epoch: 3,
    clusterCount: 2,
    clusters: { desired: ['cluster1', 'cluster2'], inUse: ['cluster1', 'cluster3'] },
    union: {
      geoLocations: [
        {
          ...place,
          clusterCount: 2,
          eipCapacity: 6,
          cpuCapacity: 24,
          memCapacity: 512,
          largest: { eipCapacity: 3, cpuCapacity: 16, memCapacity: 256 },
          lowestServerPrice: 10,
        },
      ],
      regions: [{ region: 'us-west', availabilityZone: 'us-west-1', clusterCount: 2 }],
      operators: [{ operator: 'globalscheduler', clusterCount: 2 }],
      flavors: [{ flavorID: 'small', totalCapacity: 10, clusterCount: 2 }],
      storage: [{ typeID: 'ssd', storageCapacity: 6000, clusterCount: 2 }],
      eipCapacity: 6,
      cpuCapacity: 24,
      memCapacity: 512,
      lowestServerPrice: 10,
      highestServerPrice: 12,
    },
  };
  assert.deepEqual(stored(Scheduler, { ...canonical, status }).status, status);
});

const refused: readonly (readonly [string, object, string])[] = [
  ['the port 0', { portNumber: 0 }, 'spec.portNumber'],
  ['a port beyond the last', { portNumber: '65536' }, 'spec.portNumber'],
  ['a port in words', { portnumber: 'http' }, 'spec.portNumber'],
  ['an empty port', { portNumber: '' }, 'spec.portNumber'],
  ['an address with a blank', { ipaddress: '10.0.0 9' }, 'spec.ipAddress'],
];

for (const [what, spec, field] of refused) {
  test(`refused: ${what}`, () => {
    assertRefused(Scheduler, { ...canonical, spec }, { field });
  });
}

test('refused: an entry of the union that no cluster has', () => {
  const status = { union: { operators: [{ operator: 'nobody', clusterCount: 0 }] } };
  const field = 'status.union.operators[0].clusterCount';
  assertRefused(Scheduler, { ...canonical, status }, { field });
});
