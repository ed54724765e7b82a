import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NO_CLAIM } from '../../../src/clusters/room/node-claim.ts';
import { spreadSets } from '../../../src/placement/scheduler/estimate/spread-pods.ts';

const nodes = Array.from({ length: 5000 }, (_, at) => ({
  count: 1,
  free: new Map([['cpu', 8000 + at]]),
  pods: 110,
}));

const part = (replicas: number) => ({
  replicas,
  shape: [{ name: 'cpu', amount: { units: 1, parts: 100 } }],
  claim: NO_CLAIM,
});

it('two billion pods are not placed one by one on 5,000 nodes, to find that they do not fit', () => {
  assert.equal(spreadSets(nodes, [part(1), part(2_000_000_000)], 100), 0);
  assert.equal(spreadSets(nodes.slice(0, 2), [part(1), part(3)], 100), 40);
});
