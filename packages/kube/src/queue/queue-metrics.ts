/** What a work queue tells about itself. */
export interface QueueMetrics {
  added(): void;
  taken(waitedMs: number): void;
  finished(ranMs: number): void;
  retried(): void;
}
