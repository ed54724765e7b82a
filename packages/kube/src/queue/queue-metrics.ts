import type { Metrics } from '../observe/metrics.ts';

/** State of a queue, for gauges. */
export interface QueueState {
  readonly depth: number;
  readonly unfinished: { readonly totalMs: number; readonly longestMs: number };
}

/** Metrics of a queue. */
export interface QueueMetrics {
  /** The queue is there: its state can be looked up from now on. */
  follow(queue: QueueState): void;
  added(): void;
  taken(waitedMs: number): void;
  finished(ranMs: number): void;
  retried(): void;
}

const SECONDS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];

/** The metrics by which every Kubernetes component shows its queues, under the queue's name. */
export const queueMetrics = (metrics: Metrics, name: string): QueueMetrics => {
  const labels = ['name'] as const;
  const gauge = (metric: string, help: string) =>
    metrics.gauge({ name: `workqueue_${metric}`, help, labels }).with({ name });
  const counter = (metric: string, help: string) =>
    metrics.counter({ name: `workqueue_${metric}`, help, labels }).with({ name });
  const seconds = (metric: string, help: string) =>
    metrics
      .histogram({ name: `workqueue_${metric}`, help, labels, buckets: SECONDS })
      .with({ name });

  const depth = gauge('depth', 'Keys that wait for a worker.');
  const unfinished = gauge(
    'unfinished_work_seconds',
    'Time spent so far on the keys that workers have now, summed up.',
  );
  const longest = gauge(
    'longest_running_processor_seconds',
    'How long the longest of the running workers has had its key.',
  );
  const adds = counter('adds_total', 'Keys that were added.');
  const retries = counter('retries_total', 'Keys that were added again because they failed.');
  const waited = seconds(
    'queue_duration_seconds',
    'How long a key was due before a worker took it.',
  );
  const worked = seconds('work_duration_seconds', 'How long a worker had a key.');
  return {
    follow(queue) {
      depth.follow(() => queue.depth);
      unfinished.follow(() => queue.unfinished.totalMs / 1000);
      longest.follow(() => queue.unfinished.longestMs / 1000);
    },
    added: () => adds.increment(),
    taken: (waitedMs) => waited.observe(waitedMs / 1000),
    finished: (ranMs) => worked.observe(ranMs / 1000),
    retried: () => retries.increment(),
  };
};
