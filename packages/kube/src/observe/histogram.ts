import { formatNumber, joinLabels, type Sample, sample } from './sample.ts';

/** Upper bounds for times in seconds, from a quick in-memory step to a slow call over the network. */
export const SECONDS_BUCKETS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** Distribution of values over ranges, such as durations of requests. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** Number of values in each range; the last range is above all bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** The bounds rise. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (value <= (this.#bounds[middle] ?? Infinity)) high = middle;
      else low = middle + 1;
    }
    this.#counts[low] = (this.#counts[low] ?? 0) + 1;
    this.#sum += value;
  }

  samples(name: string, labels: string): readonly Sample[] {
    let count = 0;
    const buckets = Array.from(this.#counts, (inRange, index) => {
      count += inRange;
      const bucketBound = formatNumber(this.#bounds[index] ?? Infinity);
      return sample(`${name}_bucket`, joinLabels(labels, `le="${bucketBound}"`), count);
    });
    return [
      ...buckets,
      sample(`${name}_sum`, labels, this.#sum),
      sample(`${name}_count`, labels, count),
    ];
  }
}
