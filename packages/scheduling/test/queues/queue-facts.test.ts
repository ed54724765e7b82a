import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import { formatResourceList, parseResourceList } from '@perigee/api/values/resource-list';
import { amountsOf, quantitiesOf } from '@perigee/scheduling/queues/amounts';
import { factsOfQueue } from '@perigee/scheduling/queues/queue-facts';

const queueOf = (spec: object, status?: object): Queue =>
  ({
    metadata: { name: 'team' },
    spec: { weight: 1, dequeueStrategy: 'traverse', reclaimable: true, ...spec },
    status,
  }) as unknown as Queue;

test('the facts of a Queue', () => {
  const facts = factsOfQueue(
    queueOf({
      ...{ weight: 3, priority: 7, dequeueStrategy: 'fifo', reclaimable: false, parent: 'lab' },
      capability: { cpu: '1500m', memory: '1Gi', 'nvidia.com/gpu': 0 },
      deserved: { cpu: 1 },
      guarantee: { resource: { cpu: '1n' } },
    }),
  );
  assert.deepEqual(facts, {
    ...{ name: 'team', parent: 'lab', weight: 3, priority: 7 },
    ...{ isStrict: true, isOpen: true, isReclaimable: false },
    // A limit of none is a limit.
    capability: new Map([
      ['cpu', 1500],
      ['memory', 2 ** 30],
      ['nvidia.com/gpu', 0],
    ]),
    deserved: new Map([['cpu', 1000]]),
    guarantee: new Map([['cpu', 1]]),
  });
});

test('without a parent it is part of the root, and its state says whether it is open', () => {
  assert.equal(factsOfQueue(queueOf({})).parent, 'root');
  assert.equal(factsOfQueue(queueOf({ parent: '' })).parent, 'root');
  const isOpen = (state?: string) => factsOfQueue(queueOf({}, { state })).isOpen;
  assert.deepEqual([undefined, 'Open', 'Unknown', 'Closing', 'Closed'].map(isOpen), [
    ...[true, true, true],
    ...[false, false],
  ]);
});

test('amounts come back as they are written', () => {
  const written = { cpu: '1500m', memory: '3Gi', 'nvidia.com/gpu': '4' };
  const back = quantitiesOf(amountsOf(parseResourceList({ ...written, pods: 0 })));
  assert.deepEqual(formatResourceList(back), written);
});
