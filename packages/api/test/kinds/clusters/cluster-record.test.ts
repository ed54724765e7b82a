import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRecord } from '../../../src/kinds/clusters/cluster-record.ts';
import { assertRefused, stored } from '../admission.ts';

const cluster = (spec: object, name = 'cluster1') => ({
  apiVersion: 'globalscheduler.com/v1',
  kind: 'Cluster',
  metadata: { name },
  spec,
});

test('a cluster needs nothing but a name, and is a Kubernetes cluster', () => {
  assert.deepEqual(stored(ClusterRecord, cluster({})).spec, { type: 'kubernetes' });
});

test('a cluster says how it is reached, with the credentials in a Secret', () => {
  const spec = {
    type: 'openstack',
    apiEndpoint: 'https://keystone.example.org:5000/v3',
    secretRef: { namespace: 'perigee-system', name: 'cluster1' },
  };
  assert.deepEqual(stored(ClusterRecord, cluster(spec)).spec, spec);
});

test('a cluster has a live status beside what the administrator says', () => {
  const status = {
    phase: 'Ready',
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'Answered',
        message: 'The API server answered.',
        lastTransitionTime: '2026-01-02T03:04:05Z',
        observedGeneration: 1,
      },
    ],
    observedGeneration: 1,
    homeScheduler: 'scheduler1',
    bindingEpoch: 7,
    lastSeenTime: '2026-01-02T03:04:05Z',
    capacity: { cpu: '8', memory: '32Gi', 'nvidia.com/gpu': 2 },
    allocatable: { cpu: '7500m', memory: '30Gi' },
    allocated: { cpu: '500m' },
    resourcesObservedTime: '2026-01-02T03:04:05Z',
  };
  assert.deepEqual(stored(ClusterRecord, { ...cluster({}), status }).status, status);
});

for (const address of [
  '10.0.0.3',
  'cluster1.example.org',
  'localhost',
  '::1',
  'fe80::1:2',
  '::ffff:10.0.0.3',
]) {
  test(`${address} is an address`, () => {
    assert.equal(stored(ClusterRecord, cluster({ ipAddress: address })).spec.ipAddress, address);
  });
}

const refused: readonly (readonly [string, object, string, RegExp])[] = [
  ['an address with a blank', { ipAddress: '10.0.0 3' }, 'spec.ipAddress', /IPv4 or IPv6 address/],
  ['an address with a port', { ipAddress: '10.0.0.3:80' }, 'spec.ipAddress', /host name/],
  ['no address', { ipAddress: '' }, 'spec.ipAddress', /host name/],
  ['an unknown type', { type: 'mesos' }, 'spec.type', /kubernetes/],
  ['credentials in the URL', { apiEndpoint: 'https://u:p@host' }, 'spec.apiEndpoint', /secretRef/],
  ['an endpoint that is no URL', { apiEndpoint: 'host:6443' }, 'spec.apiEndpoint', /URL/],
  ['a Secret without namespace', { secretRef: { name: 'a' } }, 'spec.secretRef.namespace', /Req/],
  ['less than no CPU', { cpuCapacity: -1 }, 'spec.cpuCapacity', /greater than or equal to 0/],
  ['less than no memory', { memCapacity: -1 }, 'spec.memCapacity', /greater than or equal to 0/],
  ['less than no public IPs', { EipCapacity: -1 }, 'spec.eipCapacity', /greater than or equal/],
  ['a negative price', { serverprice: -1 }, 'spec.serverPrice', /greater than or equal to 0/],
  ['half a core', { cpuCapacity: 0.5 }, 'spec.cpuCapacity', /int/],
  ['a capacity in words', { cpuCapacity: 'eight' }, 'spec.cpuCapacity', /integer/],
  [
    'a flavor without a name',
    { flavors: [{ totalCapacity: 1 }] },
    'spec.flavors[0].flavorID',
    /Required/,
  ],
  [
    'a flavor in negative numbers',
    { flavors: [{ flavorID: 'small', totalCapacity: -1 }] },
    'spec.flavors[0].totalCapacity',
    /greater than or equal to 0/,
  ],
  [
    'a flavor that appears twice, in two spellings',
    {
      flavors: [
        { flavorID: 'small', totalCapacity: 1 },
        { FlavorID: 'small', TotalCapacity: 2 },
      ],
    },
    'spec.flavors',
    /flavorID may appear only once/,
  ],
  [
    'more flavors than can be told apart quickly',
    { flavors: Array.from({ length: 129 }, (_, i) => ({ flavorID: `f${i}`, totalCapacity: 1 })) },
    'spec.flavors',
    /must have at most 128 items/,
  ],
  [
    'a kind of disk that nobody has',
    { storage: [{ typeID: 'tape', storageCapacity: 1 }] },
    'spec.storage[0].typeID',
    /sata/,
  ],
  [
    'a kind of disk that appears twice',
    {
      storage: [
        { typeID: 'ssd', storageCapacity: 1 },
        { typeID: 'ssd', storageCapacity: 2 },
      ],
    },
    'spec.storage',
    /typeID may appear only once/,
  ],
  [
    'a city with too long a name',
    { geoLocation: { city: 'x'.repeat(129) } },
    'spec.geoLocation.city',
    /128/,
  ],
];

for (const [what, spec, field, message] of refused) {
  test(`refused: ${what}`, () => {
    assertRefused(ClusterRecord, cluster(spec), { field, message });
  });
}

for (const name of ['a.b', 'x'.repeat(49), 'Upper', '-a']) {
  test(`refused: the name ${name}`, () => {
    assertRefused(ClusterRecord, cluster({}, name), {
      field: 'metadata',
      message: /lower-case letters/,
    });
  });
}

test('a cluster may have a name of 48 characters', () => {
  const name = 'x'.repeat(48);
  assert.equal(stored(ClusterRecord, cluster({}, name)).metadata.name, name);
});

test('a cluster stays of its type, whatever else changes', () => {
  const old = stored(ClusterRecord, cluster({ type: 'virtual', cpuCapacity: 4 }));
  assert.equal(
    stored(ClusterRecord, cluster({ type: 'virtual', cpuCapacity: 8 }), old).spec.cpuCapacity,
    8,
  );
  assertRefused(
    ClusterRecord,
    cluster({ type: 'openstack', cpuCapacity: 4 }),
    { field: 'spec.type', message: /unregister it and register it again/ },
    old,
  );
});
