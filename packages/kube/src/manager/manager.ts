import { hostname } from 'node:os';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { orAborted } from '../client/or-aborted.ts';
import type { ControllerDefinition } from '../controller/define-controller.ts';
import { INFORMER, observeInformers } from '../controller/observe-informers.ts';
import { Troubles } from '../controller/troubles.ts';
import { InformerSet } from '../informer/informer-set.ts';
import type { ElectionObserver } from '../leader-election/election-observer.ts';
import { LeaderElector } from '../leader-election/leader-elector.ts';
import type { Logger } from '../observe/logger.ts';
import { METRICS_CONTENT_TYPE, Metrics } from '../observe/metrics.ts';
import { ControllerGroup } from './controller-group.ts';
import { checkHealth, type HealthCheck } from './health-checks.ts';
import {
  type HttpAnswer,
  type HttpEndpoints,
  type HttpListener,
  openListener,
} from './http-listener.ts';
import type { ManagerOptions } from './manager-options.ts';

/** Reports an election in the log, and in the metric that client-go has for it. */
const electionReport = (logger: Logger, metrics: Metrics, name: string): ElectionObserver => {
  const status = metrics
    .gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process leads: 1 if it does, 0 if it stands by.',
      labels: ['name'],
    })
    .with({ name });
  status.set(0);
  return {
    leaderSeen(identity) {
      if (identity === '') logger.info('nobody leads', { lease: name });
      else logger.info('another process leads', { lease: name, leader: identity });
    },
    elected() {
      status.set(1);
      logger.info('leading', { lease: name });
    },
    deposed(reason) {
      status.set(0);
      logger.info('no longer leading', { lease: name, reason: reason.message });
    },
    attemptFailed(what, error) {
      logger.warn(`cannot ${what} the lease`, { lease: name, error });
    },
  };
};

const PING: HealthCheck = { name: 'ping', problem: () => undefined };

const healthAnswer =
  (endpoint: string, checks: readonly HealthCheck[]) =>
  (query: URLSearchParams): HttpAnswer => {
    const { healthy, text } = checkHealth(endpoint, checks, query.has('verbose'));
    return { status: healthy ? 200 : 500, body: text };
  };

/** The endpoints for Kubernetes and Prometheus: liveness, readiness and metrics. */
const managerEndpoints = (metrics: Metrics, readiness: readonly HealthCheck[]): HttpEndpoints => ({
  '/healthz': healthAnswer('healthz', [PING]),
  '/livez': healthAnswer('livez', [PING]),
  '/readyz': healthAnswer('readyz', [PING, ...readiness]),
  '/metrics': () => ({ contentType: METRICS_CONTENT_TYPE, body: metrics.expose() }),
});

const DEFAULT_GRACE_MS = 30_000;
/** Time for an aborted reconcile to notice the abort. */
const LAST_CHANCE_MS = 1000;

const nameOf = ({ group, plural }: ResourceKind): string =>
  group === '' ? plural : `${plural}.${group}`;

/**
 * Runs controllers together: gives them informers, events, metrics and a clock, lets those that need a
 * leader run only while this process leads, and answers probes.
 *
 *     await using manager = new Manager(options);
 *     await manager.start(signal);
 *     await manager.stopped;
 */
export class Manager implements AsyncDisposable {
  readonly informers: InformerSet;
  readonly #options: ManagerOptions;
  readonly #metrics: Metrics;
  readonly #controllers: readonly ControllerDefinition[];
  readonly #group: ControllerGroup;
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  readonly #stopped = Promise.withResolvers<void>();
  #listener: HttpListener | undefined;
  #work: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: ManagerOptions) {
    const { client, clock, logger, metrics = new Metrics(), controllers } = options;
    const { identity = `${hostname()}_${clock.uuid()}`, leaderElection } = options;
    const { troubles = new Troubles(clock) } = options;
    const informers = new InformerSet({
      client,
      clock,
      metrics: observeInformers({ metrics, logger, troubles }),
    });
    const elector =
      leaderElection &&
      new LeaderElector({
        ...leaderElection,
        client: leaderElection.client ?? client,
        clock,
        identity,
        observer: electionReport(logger, metrics, leaderElection.lease.name),
      });
    this.informers = informers;
    this.#options = options;
    this.#metrics = metrics;
    this.#controllers = controllers;
    this.#group = new ControllerGroup({
      client,
      clock,
      logger,
      metrics,
      informers,
      controllers,
      identity,
      elector,
      troubles,
    });
  }

  /** Address of probes and metrics after the start; empty if there is none. */
  get url(): string {
    return this.#listener?.url ?? '';
  }

  /** Resolves when the manager has stopped, for whatever reason. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  /**
   * Resolves when the caches are full and the controllers run, or compete to. Stops when the signal is
   * aborted; rejects if that, or a failure, comes first.
   */
  async start(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) void this.stop();
    else signal?.addEventListener('abort', () => void this.stop(), { once: true });
    try {
      this.#stop.signal.throwIfAborted();
      await this.#listen();
      await orAborted(this.#fillCaches(), this.#stop.signal);
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#work = this.#group.run({ stop: this.#stop.signal, abort: this.#abort.signal });
  }

  /** Stops in good order: no new work, the running reconciles end, the lease goes, the probes end. */
  stop(): Promise<void> {
    this.#stopping ??= this.#shutDown();
    return this.#stopping;
  }

  /** Stops without waiting for the running reconciles. */
  abort(): void {
    void this.stop();
    this.#abort.abort(new Error('the manager was told to stop at once'));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #listen(): Promise<void> {
    const { http, logger } = this.#options;
    if (http === undefined) return;
    const endpoints = managerEndpoints(this.#metrics, this.#readiness());
    const listener = await openListener(endpoints, http);
    if (this.#stop.signal.aborted) await listener[Symbol.asyncDispose]();
    this.#stop.signal.throwIfAborted();
    this.#listener = listener;
    logger.info('answering probes', { url: this.url });
  }

  async #fillCaches(): Promise<void> {
    for (const { indexes } of this.#controllers) {
      for (const index of indexes) index.addTo(this.informers);
    }
    await Promise.all(this.#kinds().map((kind) => this.informers.for(kind).synced));
  }

  #kinds(): readonly ResourceKind[] {
    const kinds = this.#controllers.flatMap((controller) => controller.kinds);
    return [...new Map(kinds.map((kind) => [nameOf(kind), kind])).values()];
  }

  #readiness(): readonly HealthCheck[] {
    const shutdown: HealthCheck = {
      name: 'shutdown',
      problem: () => (this.#stop.signal.aborted ? 'the manager is stopping' : undefined),
    };
    const caches = this.#kinds().map((kind) => {
      const informer = this.informers.for(kind);
      const problem = () => (informer.hasSynced ? undefined : 'the objects were not fetched yet');
      return { name: `cache-${nameOf(kind)}`, problem };
    });
    return [shutdown, ...caches, ...this.#group.checks];
  }

  async #shutDown(): Promise<void> {
    const { clock, logger, graceMs = DEFAULT_GRACE_MS } = this.#options;
    logger.info('stopping');
    this.#stop.abort(new Error('the manager is stopping'));
    using timers = new DisposableStack();
    const late = new Error(`the reconciles did not end within ${graceMs} ms`);
    timers.use(clock.timer(graceMs, () => this.#abort.abort(late)));
    this.#abort.signal.addEventListener('abort', () => {
      if (!timers.disposed) timers.use(clock.timer(LAST_CHANCE_MS, () => this.#giveUp()));
    });
    await this.#work;
    await this.informers.stop();
    await this.#group[Symbol.asyncDispose]();
    await this.#listener?.[Symbol.asyncDispose]();
    const names = this.#controllers.map(({ name }) => name);
    this.#options.troubles?.end(new Set([...names, INFORMER]));
    logger.info('stopped');
    this.#stopped.resolve();
  }

  #giveUp(): void {
    const controllers = this.#group.running;
    this.#options.logger.warn('reconciles go on although they were aborted', { controllers });
    this.#group.giveUp();
  }
}
