import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fitsResourceList,
  formatResourceList,
  maxResourceList,
  parseResourceList,
  subtractResourceList,
  sumResourceLists,
} from '@perigee/api/values/resource-list';

const small = parseResourceList({ cpu: '500m', memory: '1Gi' });
const large = parseResourceList({ cpu: 2, 'nvidia.com/gpu': 1 });

test('a list is read and written in canonical form', () => {
  assert.deepEqual(formatResourceList(parseResourceList({ cpu: 0.5, memory: '1024Mi' })), {
    cpu: '500m',
    memory: '1Gi',
  });
  assert.deepEqual(formatResourceList(parseResourceList(undefined)), {});
  assert.throws(() => parseResourceList({ cpu: 'much' }), /"much": quantities must match/);
});

test('a sum has every resource of its lists', () => {
  assert.deepEqual(formatResourceList(sumResourceLists([small, large, small])), {
    cpu: '3',
    memory: '2Gi',
    'nvidia.com/gpu': '1',
  });
  assert.deepEqual(formatResourceList(sumResourceLists([])), {});
  assert.deepEqual(formatResourceList(small), { cpu: '500m', memory: '1Gi' });
});

test('a difference goes below zero where more is taken than there is', () => {
  assert.deepEqual(formatResourceList(subtractResourceList(large, small)), {
    cpu: '1500m',
    memory: '-1Gi',
    'nvidia.com/gpu': '1',
  });
});

test('the maximum takes each resource from the list that has more', () => {
  assert.deepEqual(formatResourceList(maxResourceList(small, large)), {
    cpu: '2',
    memory: '1Gi',
    'nvidia.com/gpu': '1',
  });
});

test('a request fits when every resource does; a missing one counts as zero', () => {
  assert.equal(fitsResourceList(parseResourceList({ cpu: '2000m' }), large), true);
  assert.equal(fitsResourceList(parseResourceList({ cpu: '2001m' }), large), false);
  assert.equal(fitsResourceList(parseResourceList({ memory: 1 }), large), false);
  assert.equal(fitsResourceList(parseResourceList({ memory: 0 }), large), true);
  assert.equal(fitsResourceList(parseResourceList({}), parseResourceList({})), true);
});
