import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { memberMachines } from '@perigee/scheduling/clusters/inventory/member-machines';

const machines = (spec: Partial<ClusterRecord['spec']>): readonly string[] =>
  memberMachines({ spec: { type: 'virtual', ...spec } }).map(
    ({ flavor, count, cpu, memoryGi }) => `${count} ${flavor}: ${cpu} cores, ${memoryGi} GiB`,
  );

test('flavors say how many machines there are, and how large', () => {
  const flavors = [
    { flavorID: 'small', totalCapacity: 5 },
    { flavorID: 'xlarge', totalCapacity: 1 },
    { flavorID: '2xlarge', totalCapacity: 2 },
  ];
  assert.deepEqual(machines({ flavors, cpuCapacity: 8, memCapacity: 256 }), [
    '5 small: 1 cores, 4 GiB',
    '1 xlarge: 8 cores, 32 GiB',
    '2 2xlarge: 16 cores, 64 GiB',
  ]);
});

test('a flavor whose name says nothing gets an equal share of the capacities', () => {
  const flavors = [{ flavorID: 'gpu-box', totalCapacity: 4 }];
  assert.deepEqual(machines({ flavors, cpuCapacity: 64, memCapacity: 512 }), [
    '4 gpu-box: 16 cores, 128 GiB',
  ]);
  assert.deepEqual(machines({ flavors }), ['4 gpu-box: 8 cores, 32 GiB']);
});

test('capacities alone are made up of machines of the usual size', () => {
  assert.deepEqual(machines({ cpuCapacity: 24, memCapacity: 96 }), ['3 xlarge: 8 cores, 32 GiB']);
  assert.deepEqual(machines({ cpuCapacity: 4 }), ['1 xlarge: 4 cores, 16 GiB']);
  assert.deepEqual(machines({ memCapacity: 64 }), ['2 xlarge: 8 cores, 32 GiB']);
});

test('a record that says nothing gets three machines, and one that says none gets none', () => {
  assert.deepEqual(machines({}), ['3 xlarge: 8 cores, 32 GiB']);
  assert.deepEqual(machines({ flavors: [{ flavorID: 'large', totalCapacity: 0 }] }), [
    '0 large: 4 cores, 16 GiB',
  ]);
});
