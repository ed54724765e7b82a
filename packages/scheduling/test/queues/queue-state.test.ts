import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import { queueStatusOf } from '../../src/queues/queue-state.ts';

const COUNTS = { pending: 0, inqueue: 0, running: 1, completed: 0 };

suite('the status of a queue', () => {
  test('stays small when work asks for thousands of resources that nobody has', () => {
    const resources = Array.from({ length: 50_000 }, (_, at) => `example.com/r${at}`);
    const last = ['nvidia.com/gpu', 'cpu', 'memory', 'pods'];
    const usage = new Map([...resources, ...last].map((name) => [name, 1000]));
    const queue = {
      metadata: { name: 'q' },
      spec: { weight: 1, capability: { 'nvidia.com/gpu': '8' } },
    } as never as Queue;
    const { allocated = {} } = queueStatusOf(queue, COUNTS, usage);
    assert.equal(Object.keys(allocated).length, 256);
    assert.partialDeepStrictEqual(allocated, { cpu: '1', 'nvidia.com/gpu': '1k', pods: '1k' });
  });
});
