import { Counter } from './counter.ts';
import { Histogram, SECONDS_BUCKETS } from './histogram.ts';
import { type FamilyOptions, type Metric, MetricFamily } from './metric-family.ts';
import { type Sample, sample } from './sample.ts';

/** A number that goes up and down, such as the length of a queue. */
class Gauge {
  #value = 0;
  #read: (() => number) | undefined;

  set(value: number): void {
    this.#value = value;
  }

  add(by: number): void {
    this.#value += by;
  }

  /** From now on the value is computed at each scrape, for what is cheaper to compute than to keep. */
  follow(read: () => number): void {
    this.#read = read;
  }

  samples(name: string, labels: string): readonly Sample[] {
    return [sample(name, labels, this.#read?.() ?? this.#value)];
  }
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface HistogramOptions<L extends string> extends FamilyOptions<L> {
  /** Upper bounds in rising order; the range above the last one comes by itself. */
  readonly buckets?: readonly number[];
}

const isRising = (bounds: readonly number[]): boolean =>
  bounds.every(
    (bound, index) => Number.isFinite(bound) && bound > (bounds[index - 1] ?? -Infinity),
  );

/**
 * Counts and measures what a process does, and renders it in the Prometheus text format. A family asked
 * for twice is the same family, so that many controllers may share it.
 */
export class Metrics {
  readonly #families = new Map<string, MetricFamily<Metric, string>>();

  counter<const L extends string = never>(options: FamilyOptions<L>): MetricFamily<Counter, L> {
    return this.#family(new MetricFamily('counter', options, () => new Counter()));
  }

  gauge<const L extends string = never>(options: FamilyOptions<L>): MetricFamily<Gauge, L> {
    return this.#family(new MetricFamily('gauge', options, () => new Gauge()));
  }

  histogram<const L extends string = never>(
    options: HistogramOptions<L>,
  ): MetricFamily<Histogram, L> {
    const { buckets = SECONDS_BUCKETS } = options;
    if (!isRising(buckets)) {
      throw new RangeError(`the buckets of ${options.name} must be finite and rise: ${buckets}`);
    }
    return this.#family(new MetricFamily('histogram', options, () => new Histogram(buckets)));
  }

  /** Everything that was measured, in the Prometheus text format, version 0.0.4. */
  expose(): string {
    const families = [...this.#families.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return families.map((family) => family.expose()).join('');
  }

  #family<M extends Metric, L extends string>(family: MetricFamily<M, L>): MetricFamily<M, L> {
    const registered = this.#families.get(family.name);
    if (registered === undefined) {
      this.#families.set(family.name, family as unknown as MetricFamily<Metric, string>);
      return family;
    }
    if (registered.type !== family.type || registered.labels.join() !== family.labels.join()) {
      throw new TypeError(
        `the metric ${family.name} is a ${registered.type} with the labels [${registered.labels}] already`,
      );
    }
    return registered as unknown as MetricFamily<M, L>;
  }
}
