import type { InformerMetrics } from '../../src/informer/informer-metrics.ts';

const text = (part: unknown): string => (part instanceof Error ? part.message : String(part));

/** Writes down every step in the life of an informer. */
export class StepLog implements InformerMetrics {
  readonly steps: string[] = [];
  count = 0;
  resourceVersion = '';
  readonly waits: number[] = [];

  listStarted = () => this.#note('list started');
  listFinished = () => this.#note('list finished');
  listFailed = (error: unknown) => this.#note('list failed', error);
  watchStarted = () => this.#note('watch started');
  watchEnded = () => this.#note('watch ended');
  watchFailed = (error: unknown) => this.#note('watch failed', error);
  relisted = (reason: string) => this.#note('relist', reason);
  event = (type: string) => this.#note('event', type);
  bookmark = () => this.#note('bookmark');
  duplicate = () => this.#note('duplicate');
  callbackFailed = (what: string, error: unknown) => this.#note(`${what} failed`, error);

  reconnected(waitedMs: number): void {
    this.waits.push(waitedMs);
  }

  objects(count: number): void {
    this.count = count;
  }

  version(resourceVersion: string): void {
    this.resourceVersion = resourceVersion;
  }

  /** The steps since the last time. */
  take(): readonly string[] {
    return this.steps.splice(0);
  }

  #note(...parts: readonly unknown[]): void {
    this.steps.push(parts.map(text).join(' '));
  }
}
