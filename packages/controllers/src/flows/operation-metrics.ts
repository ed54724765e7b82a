import type { OperationStatus } from '@perigee/api/kinds/flows/operation-status';
import { Metrics } from '@perigee/kube/observe/metrics';
import { isTerminal, type Operation } from '@perigee/scheduling/flows/operation';
import { parseTime } from '@perigee/schema/values/time';

const DURATIONS = [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400];

/** The metrics of data operations. */
export class OperationMetrics {
  readonly #ends;
  readonly #seconds;
  readonly #bytes;
  readonly #retries;
  readonly #transferred;
  readonly #cost;

  constructor(metrics: Metrics = new Metrics()) {
    this.#ends = metrics.counter({
      name: 'perigee_data_operations_total',
      help: 'How many attempts of data operations ended, by how',
      labels: ['kind', 'phase'],
    });
    this.#seconds = metrics.histogram({
      name: 'perigee_data_operation_duration_seconds',
      help: 'How long attempts of data operations took',
      labels: ['kind'],
      buckets: DURATIONS,
    });
    this.#bytes = metrics.counter({
      name: 'perigee_data_operation_copied_bytes_total',
      help: 'How many bytes data operations have copied',
      labels: ['kind'],
    });
    this.#retries = metrics.counter({
      name: 'perigee_data_operation_retries_total',
      help: 'How many requests data operations have made again',
      labels: ['kind'],
    });
    this.#transferred = metrics.counter({
      name: 'perigee_data_transfer_bytes_total',
      help: 'How many bytes data operations have copied from one cluster to another',
      labels: ['from', 'to'],
    });
    this.#cost = metrics.counter({
      name: 'perigee_data_transfer_cost_total',
      help: 'What that cost, in the unit of the prices in the inventory',
      labels: ['from', 'to'],
    });
  }

  /** Counts a status write. */
  note({ kind }: Operation, before: OperationStatus, after: OperationStatus): void {
    if (!isTerminal(after) || after.phase === before.phase) return;
    const { startTime, completionTime, transfer, clusters = [] } = after;
    this.#ends.with({ kind, phase: after.phase }).increment();
    if (startTime !== undefined && completionTime !== undefined) {
      const seconds = (parseTime(completionTime) - parseTime(startTime)) / 1000;
      this.#seconds.with({ kind }).observe(Math.max(0, seconds));
    }
    for (const { name: to, result } of clusters) {
      if (result === undefined) continue;
      const bytes = Number(result.bytesCopied ?? 0);
      this.#bytes.with({ kind }).increment(bytes);
      this.#retries.with({ kind }).increment(Number(result.retries ?? 0));
      if (transfer === undefined) continue;
      this.#transferred.with({ from: transfer.from, to }).increment(bytes);
      this.#cost.with({ from: transfer.from, to }).increment(Number(result.cost ?? 0));
    }
  }
}
