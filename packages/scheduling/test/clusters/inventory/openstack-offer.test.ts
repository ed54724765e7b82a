import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStackOffer } from '@perigee/scheduling/clusters/inventory/openstack-offer';

test('what has no limit is not counted, and limits no flavor', () => {
  const compute = { maxTotalCores: -1, maxTotalRAMSize: 1024, totalCoresUsed: 5 };
  const { capacity, flavors } = openStackOffer({
    compute,
    flavors: [{ name: 'a', vcpus: 4, ram: 512 }],
  });
  assert.deepEqual(capacity, { memory: '1024Mi' });
  assert.deepEqual(flavors, [{ flavorID: 'a', totalCapacity: 2, cpu: 4, memory: 512 }]);
});

test('figures that are no numbers are left out', () => {
  const { capacity, flavors } = openStackOffer({
    compute: { maxTotalCores: 'many', maxTotalInstances: 3 },
    flavors: [{ vcpus: 1 }, { id: '7', vcpus: null, ram: 'x' }],
  });
  assert.deepEqual(capacity, { 'globalscheduler.com/instances': '3' });
  assert.deepEqual(flavors, [{ flavorID: '7', totalCapacity: 3, cpu: 0, memory: 0 }]);
});

test('a flavor of which nothing limits the number can be had as often as anybody may want', () => {
  const { flavors } = openStackOffer({ compute: {}, flavors: [{ name: 'a', vcpus: 1, ram: 1 }] });
  assert.equal(flavors?.[0]?.totalCapacity, 1_000_000_000);
});
