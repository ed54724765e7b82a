import type { Clock } from '@perigee/kube/clock/clock';
import type { Counter } from '@perigee/kube/observe/counter';
import type { Histogram } from '@perigee/kube/observe/histogram';
import { Metrics } from '@perigee/kube/observe/metrics';
import type { ServedResource } from '../resource/served-resource.ts';
import type { RequestLabels } from './request-labels.ts';

const LABELS = ['verb', 'group', 'version', 'resource', 'subresource'] as const;

interface Measured {
  readonly total: Counter;
  /** Watches take as long as they take. */
  readonly seconds: Histogram | undefined;
}

/** Metrics of the requests of a server. A finished request costs two lookups. */
export class ServerMetrics {
  readonly metrics: Metrics;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #seriesCache = new Map<string, Measured>();
  readonly #total;
  readonly #seconds;
  readonly #longRunning;
  readonly #events;
  readonly #mutating;
  readonly #readOnly;

  constructor(clock: Pick<Clock, 'monotonic' | 'now'>, metrics: Metrics = new Metrics()) {
    this.metrics = metrics;
    this.#clock = clock;
    const start = { name: 'process_start_time_seconds', help: 'When the server started.' };
    metrics
      .gauge(start)
      .with()
      .set(clock.now() / 1000);
    this.#total = metrics.counter({
      name: 'apiserver_request_total',
      help: 'Requests that were answered, by verb, resource and code.',
      labels: [...LABELS, 'code'],
    });
    this.#seconds = metrics.histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'How long requests took, without watches.',
      labels: LABELS,
    });
    this.#longRunning = metrics.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches that are open.',
      labels: LABELS,
    });
    this.#events = metrics.counter({
      name: 'apiserver_watch_events_total',
      help: 'Events that were sent to watches.',
      labels: ['group', 'version', 'resource'],
    });
    const inFlight = metrics.gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Requests under way, without watches.',
      labels: ['request_kind'],
    });
    this.#mutating = inFlight.with({ request_kind: 'mutating' });
    this.#readOnly = inFlight.with({ request_kind: 'readOnly' });
  }

  /** Measures a request from now on; call the result with the code of the answer. */
  begin(method: string, isWatch: boolean): (code: number, labels: RequestLabels) => void {
    if (isWatch) return (code, labels) => this.#measure(labels, code).total.increment();
    const inFlight = method === 'GET' || method === 'HEAD' ? this.#readOnly : this.#mutating;
    const startTime = this.#clock.monotonic();
    inFlight.add(1);
    return (code, labels) => {
      inFlight.add(-1);
      const { total, seconds } = this.#measure(labels, code);
      total.increment();
      seconds?.observe((this.#clock.monotonic() - startTime) / 1000);
    };
  }

  /** Counts a watch as open until the result is disposed. */
  watching(labels: RequestLabels): Disposable {
    const gauge = this.#longRunning.with(labels);
    gauge.add(1);
    return { [Symbol.dispose]: () => gauge.add(-1) };
  }

  watchEvents({ group, version, plural }: ServedResource): Counter {
    return this.#events.with({ group, version, resource: plural });
  }

  #measure(labels: RequestLabels, code: number): Measured {
    const { verb, group, version, resource, subresource } = labels;
    const key = `${code} ${verb} ${group}/${version}/${resource}/${subresource}`;
    const cachedSeries = this.#seriesCache.get(key);
    if (cachedSeries !== undefined) return cachedSeries;
    const series = {
      total: this.#total.with({ ...labels, code: String(code) }),
      seconds: verb === 'WATCH' ? undefined : this.#seconds.with(labels),
    };
    this.#seriesCache.set(key, series);
    return series;
  }
}
