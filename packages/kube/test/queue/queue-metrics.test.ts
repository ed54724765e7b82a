import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Metrics } from '@perigee/kube/observe/metrics';
import { queueMetrics } from '../../src/queue/queue-metrics.ts';
import { WorkQueue } from '../../src/queue/work-queue.ts';

const setUp = () => {
  const clock = new VirtualClock();
  const metrics = new Metrics();
  const queue = new WorkQueue<string>({ clock, metrics: queueMetrics(metrics, 'copier') });
  const value = (name: string): number => {
    const line = metrics
      .expose()
      .split('\n')
      .find((text) => text.startsWith(`workqueue_${name}{name="copier"} `));
    return Number(line?.split(' ').at(-1));
  };
  return { clock, queue, value };
};

test('depth and adds count each waiting key once; delayed keys have no depth until they are due', async () => {
  const { clock, queue, value } = setUp();
  queue.add('a');
  queue.add('a');
  queue.add('b', { delayMs: 100 });
  assert.equal(value('depth'), 1);
  assert.equal(value('adds_total'), 2);
  await clock.advance(100);
  assert.equal(value('depth'), 2);
});

test('latency runs from when a key is due, and work from when it is taken', async () => {
  const { clock, queue, value } = setUp();
  queue.add('a', { delayMs: 1000 });
  await clock.advance(3000);
  const item = await queue.take();
  assert.equal(value('queue_duration_seconds_sum'), 2);
  assert.equal(value('queue_duration_seconds_count'), 1);
  await clock.advance(500);
  item?.[Symbol.dispose]();
  assert.equal(value('work_duration_seconds_sum'), 0.5);
  assert.equal(value('work_duration_seconds_count'), 1);
});

test('unfinished work is told while it runs', async () => {
  const { clock, queue, value } = setUp();
  queue.add('a');
  queue.add('b');
  const a = await queue.take();
  await clock.advance(2000);
  const b = await queue.take();
  await clock.advance(3000);
  assert.equal(value('unfinished_work_seconds'), 8);
  assert.equal(value('longest_running_processor_seconds'), 5);
  a?.[Symbol.dispose]();
  b?.[Symbol.dispose]();
  assert.equal(value('unfinished_work_seconds'), 0);
});

test('retries are counted', () => {
  const { queue, value } = setUp();
  queue.retry('a');
  queue.retry('b');
  assert.equal(value('retries_total'), 2);
});
