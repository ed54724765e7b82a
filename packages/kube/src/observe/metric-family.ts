import { escapeHelp, formatLabel, type Sample } from './sample.ts';

/** A metric, with its current samples. */
export interface Metric {
  samples(name: string, labels: string): readonly Sample[];
}

export interface FamilyOptions<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
}

export type LabelValues<L extends string> = { readonly [label in L]: string };

export type MetricType = 'counter' | 'gauge' | 'histogram';

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

/** All metrics of one name, one for each combination of label values. */
export class MetricFamily<M extends Metric, L extends string> {
  readonly name: string;
  readonly type: MetricType;
  readonly labels: readonly L[];
  readonly #help: string;
  readonly #make: () => M;
  readonly #metrics = new Map<string, M>();

  constructor(type: MetricType, { name, help, labels = [] }: FamilyOptions<L>, make: () => M) {
    if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is not a metric name`);
    for (const label of labels) {
      if (!LABEL.test(label) || (type === 'histogram' && label === 'le')) {
        throw new TypeError(`${JSON.stringify(label)} is not a label name for ${name}`);
      }
    }
    this.name = name;
    this.type = type;
    this.labels = labels;
    this.#help = help;
    this.#make = make;
  }

  /** The metric of these label values. Keep it where it is used often: looking it up is the cost. */
  with(...[values]: [L] extends [never] ? [] : [LabelValues<L>]): M {
    const key = this.#keyOf(values);
    const existing = this.#metrics.get(key);
    if (existing !== undefined) return existing;
    const metric = this.#make();
    this.#metrics.set(key, metric);
    return metric;
  }

  /** Forgets the metric, because what it measured is gone. */
  remove(...[values]: [L] extends [never] ? [] : [LabelValues<L>]): void {
    this.#metrics.delete(this.#keyOf(values));
  }

  expose(): string {
    const head = `# HELP ${this.name} ${escapeHelp(this.#help)}\n# TYPE ${this.name} ${this.type}\n`;
    const metrics = [...this.#metrics].sort(([a], [b]) => (a < b ? -1 : 1));
    return head + metrics.flatMap(([key, metric]) => metric.samples(this.name, key)).join('');
  }

  #keyOf(values: LabelValues<L> | undefined): string {
    return this.labels.map((label) => formatLabel(label, values?.[label] ?? '')).join(',');
  }
}
