import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { ClusterRecord } from '../../../src/kinds/clusters/cluster-record.ts';
import { assertRefused, stored } from '../admission.ts';

const canonical = {
  apiVersion: 'globalscheduler.com/v1',
  kind: 'Cluster',
  metadata: { name: 'cluster1' },
  spec: {
    type: 'kubernetes',
    ipAddress: '10.0.0.3',
    geoLocation: { city: 'Bellevue', province: 'Washington', area: 'West', country: 'US' },
    region: { region: 'us-west', availabilityZone: 'us-west-1' },
    operator: { operator: 'globalscheduler' },
    flavors: [
      { flavorID: 'small', totalCapacity: 5 },
      { flavorID: 'medium', totalCapacity: 10 },
      { flavorID: 'large', totalCapacity: 20 },
      { flavorID: 'xlarge', totalCapacity: 10 },
      { flavorID: '2xlarge', totalCapacity: 5 },
    ],
    storage: [
      { typeID: 'sata', storageCapacity: 2000 },
      { typeID: 'sas', storageCapacity: 1000 },
      { typeID: 'ssd', storageCapacity: 3000 },
    ],
    eipCapacity: 3,
    cpuCapacity: 8,
    memCapacity: 256,
    serverPrice: 10,
    homeScheduler: 'scheduler1',
    homeDispatcher: 'dispatcher1',
  },
};

/** The body of the design's register request, with plain quotes and without the stray commas. */
const designSpec = JSON.parse(`{
  "ipAdrress": "10.0.0.3",
  "GeoLocation": { "city": "Bellevue", "province": "Washington", "area": "West", "country": "US" },
  "Region": { "region": "us-west", "AvailabilityZone": "us-west-1" },
  "Operator": { "operator": "globalscheduler" },
  "flavors": [
    { "FlavorID": "small", "TotalCapacity": 5 }, { "FlavorID": "medium", "TotalCapacity": 10 },
    { "FlavorID": "large", "TotalCapacity": 20 }, { "FlavorID": "xlarge", "TotalCapacity": 10 },
    { "FlavorID": "2xlarge", "TotalCapacity": 5 }
  ],
  "storage": [
    { "TypeID": "sata", "StorageCapacity": 2000 }, { "TypeID": "sas", "StorageCapacity": 1000 },
    { "TypeID": "ssd", "StorageCapacity": 3000 }
  ],
  "EipCapacity": 3,
  "CPUCapacity": 8,
  "MemCapacity": 256,
  "ServerPrice": 10,
  "HomeScheduler": "scheduler1",
  "HomeDispatcher ": "dispatcher1"
}`);

const shipped = parse(`
apiVersion: globalscheduler.com/v1
kind: Cluster
metadata:
  name: cluster1
spec:
  ipaddress: 10.0.0.3
  geolocation: { city: Bellevue, province: Washington, area: West, country: US }
  region: { region: us-west, availabilityzone: us-west-1 }
  operator: { operator: globalscheduler }
  flavors:
    - { flavorid: small, totalcapacity: 5 }
    - { flavorid: medium, totalcapacity: 10 }
    - { flavorid: large, totalcapacity: 20 }
    - { flavorid: xlarge, totalcapacity: 10 }
    - { flavorid: 2xlarge, totalcapacity: 5 }
  storage:
    - { typeid: sata, storagecapacity: 2000 }
    - { typeid: sas, storagecapacity: 1000 }
    - { typeid: ssd, storagecapacity: 3000 }
  eipcapacity: 3
  cpucapacity: 8
  memcapacity: 256
  serverprice: 10
  homescheduler: scheduler1
  homedispatcher: dispatcher1
`);

const withSpec = (spec: object) => ({ ...canonical, spec });
const { type: _defaulted, ...written } = canonical.spec;

test('the canonical, the designed and the shipped spelling are stored as the same cluster', () => {
  const inputs = { canonical: withSpec(written), design: withSpec(designSpec), shipped };
  for (const [spelling, input] of Object.entries(inputs)) {
    assert.deepEqual(stored(ClusterRecord, input), canonical, spelling);
  }
});

test('the home dispatcher is read with and without the blank that the design has after it', () => {
  for (const key of ['HomeDispatcher', 'HomeDispatcher ', 'homedispatcher', 'homeDispatcher']) {
    const after = stored(ClusterRecord, withSpec({ [key]: 'dispatcher1' }));
    assert.deepEqual(after.spec, { type: 'kubernetes', homeDispatcher: 'dispatcher1' }, key);
  }
});

test('another spelling changes the stored value on an update', () => {
  const merged = withSpec({ ...canonical.spec, CPUCapacity: 16, GeoLocation: { city: 'Austin' } });
  const after = stored(ClusterRecord, merged, canonical);
  assert.deepEqual(after.spec, {
    ...canonical.spec,
    cpuCapacity: 16,
    geoLocation: { city: 'Austin' },
  });
});

test('two spellings that contradict each other are refused', () => {
  const contradiction = withSpec({ cpuCapacity: 8, cpucapacity: 16 });
  assertRefused(ClusterRecord, contradiction, {
    field: 'spec.cpucapacity',
    message: /another spelling of cpuCapacity/,
  });
  assert.deepEqual(stored(ClusterRecord, withSpec({ cpuCapacity: 8, cpucapacity: 8 })).spec, {
    type: 'kubernetes',
    cpuCapacity: 8,
  });
});

for (const [word, phase] of Object.entries({
  Created: 'Pending',
  Ready: 'Ready',
  Down: 'NotReady',
  Unreachable: 'Unreachable',
  Unknown: 'Unknown',
})) {
  test(`the status ${word} becomes the phase ${phase}`, () => {
    assert.deepEqual(stored(ClusterRecord, { ...canonical, status: word }).status, { phase });
  });
}

test('a status word leaves the rest of the stored status alone', () => {
  const old = { ...canonical, status: { phase: 'Ready', homeScheduler: 'scheduler2' } };
  assert.deepEqual(stored(ClusterRecord, { ...canonical, status: 'Down' }, old).status, {
    phase: 'NotReady',
    homeScheduler: 'scheduler2',
  });
  assert.deepEqual(
    stored(ClusterRecord, { ...canonical, status: 'HandledByClusterController' }, old).status,
    old.status,
  );
});

test('a status word that means nothing is dropped', () => {
  assert.deepEqual(stored(ClusterRecord, { ...canonical, status: 'toString' }), canonical);
});
