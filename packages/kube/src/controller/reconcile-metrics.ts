import type { Counter } from '../observe/counter.ts';
import type { Metrics } from '../observe/metrics.ts';

/** Outcome of a reconcile, in the words of controller-runtime. */
export type ReconcileOutcome = 'success' | 'requeue_after' | 'requeue' | 'error';

export interface ReconcileMetrics {
  started(): void;
  ended(outcome: ReconcileOutcome, tookMs: number): void;
  /** A source could not do what it should. */
  sourceFailed(): void;
  /** It took so long that its object has to wait. */
  slow(): void;
}

const SECONDS = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 30, 45, 60,
];

/** The metrics by which controllers built on controller-runtime show their work. */
export const reconcileMetrics = (
  metrics: Metrics,
  controller: string,
  concurrency: number,
): ReconcileMetrics => {
  const labels = ['controller'] as const;
  const total = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles, by how they ended.',
    labels: ['controller', 'result'],
  });
  const errors = metrics.counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciles that failed.',
    labels,
  });
  const seconds = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long a reconcile took.',
    labels,
    buckets: SECONDS,
  });
  const active = metrics.gauge({
    name: 'controller_runtime_active_workers',
    help: 'Reconciles that run now.',
    labels,
  });
  const most = metrics.gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'How many reconciles may run at the same time.',
    labels,
  });
  const slow = metrics.counter({
    name: 'perigee_slow_reconciles_total',
    help: 'Reconciles that took so long that their object had to wait for others.',
    labels,
  });
  most.with({ controller }).set(concurrency);
  errors.with({ controller });
  const sourceErrors = metrics.counter({
    name: 'perigee_source_errors_total',
    help: 'How often a source of a controller could not do what it should.',
    labels,
  });
  // Looking a metric up costs more than counting, and this is counted with each reconcile.
  const activeReconciles = active.with({ controller });
  const times = seconds.with({ controller });
  const results = new Map<string, Counter>();
  const resultOf = (result: string): Counter => {
    const resultCounter = results.get(result) ?? total.with({ controller, result });
    results.set(result, resultCounter);
    return resultCounter;
  };
  return {
    sourceFailed: () => sourceErrors.with({ controller }).increment(),
    slow: () => slow.with({ controller }).increment(),
    started: () => activeReconciles.add(1),
    ended(outcome, tookMs) {
      activeReconciles.add(-1);
      resultOf(outcome).increment();
      times.observe(tookMs / 1000);
      if (outcome === 'error') errors.with({ controller }).increment();
    },
  };
};
