import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client, List, ListOptions, WatchEvent } from '../client/client.ts';
import { listAll } from '../client/list-all.ts';
import type { Clock } from '../clock/clock.ts';
import { deadlineAfter } from '../clock/deadline.ts';
import { ApiError, ConnectionError, isGone } from '../errors.ts';
import type { InformerMetrics, RelistReason } from './informer-metrics.ts';
import { InitialEvents } from './initial-events.ts';
import { isOlderVersion } from './resource-version.ts';
import type { Selection } from './selection.ts';

interface Source<T extends KubeObject> {
  readonly client: Client;
  readonly clock: Clock;
  readonly kind: ResourceKind<T>;
  readonly selection: Selection;
}

const LONGEST_PAGE_MS = 120_000;

/** All objects as they were at one moment. A page that does not arrive fails the list. */
const listSnapshot = <T extends KubeObject>(
  { client, clock, kind, selection }: Source<T>,
  signal: AbortSignal,
): Promise<List<T>> => {
  const list = async <K extends ResourceKind>(of: K, options?: ListOptions) => {
    using deadline = deadlineAfter(clock, LONGEST_PAGE_MS, signal);
    return await client.list(of, { ...options, signal: deadline.signal });
  };
  return listAll({ list }, kind, selection);
};

export type ObjectEvent<T> = Exclude<WatchEvent<T>, { readonly type: 'BOOKMARK' }>;

/** The store that a reflector keeps up to date. */
export interface ReflectorTarget<T> {
  /** The whole state. */
  replace(objects: Iterable<T>): void;
  /** One change of it. */
  apply(event: ObjectEvent<T>): void;
}

/** Capabilities of a server, as detected. All its clients share one. */
export interface ServerTraits {
  /** True if a watch may begin with the present objects. */
  initialEvents: boolean;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Client;
  readonly clock: Clock;
  readonly kind: ResourceKind<T>;
  readonly selection: Selection;
  readonly server: ServerTraits;
  readonly metrics: InformerMetrics | undefined;
}

const WATCH_SECONDS = { least: 300, spread: 300 };
const LEAST_WATCH_MS = WATCH_SECONDS.least * 1000;
/** A watch that the server does not end is closed this long after its time limit. */
const GRACE_SECONDS = 30;
const FIRST_DELAY_MS = 800;
const LONGEST_DELAY_MS = 30_000;
/** A server that asks for more, by mistake or for its maintenance, must not leave the cache stale. */
const LONGEST_ASKED_DELAY_MS = 120_000;
/** A watch that ends sooner, without an event, is as bad as one that fails. */
const SHORT_WATCH_MS = 1000;

/** kube-apiserver answers 422 when the feature is off, and 500 when its etcd is too old for it. */
const REFUSALS: ReadonlySet<number> = new Set([400, 422, 500]);

const refusesInitialEvents = (error: unknown): boolean =>
  error instanceof ApiError && REFUSALS.has(error.code);

const isVersionTooLarge = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === 'ResourceVersionTooLarge');

/** Some servers give no version, or the zero that stands for any: a watch from there begins anew. */
const isResumable = (version: string | undefined): boolean => version !== '' && version !== '0';

const retryAfterMs = (error: unknown): number =>
  error instanceof ApiError
    ? Math.min((error.retryAfterSeconds ?? 0) * 1000, LONGEST_ASKED_DELAY_MS)
    : 0;

/**
 * Follows the objects of a kind on a server: fetches them all, then watches. Resumes a watch that
 * ended or broke where it stopped; fetches everything again only when the server no longer knows
 * the changes since, or when it kept silent for a whole watch: a server that was restored to an earlier
 * state sends nothing, not even bookmarks, until it is past the version. Nothing but the signal ends it.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #target: ReflectorTarget<T>;
  /** Up to where the target knows the state; undefined when it has to be fetched. */
  #version: string | undefined;
  /** True if the server sent a change since the last attempt began. */
  #progressed = false;
  /** True if the server sent anything at all since then. */
  #heard = false;
  /** True if events come in the order of their versions; those for the present objects do not. */
  #ordered = false;

  constructor(options: ReflectorOptions<T>, target: ReflectorTarget<T>) {
    this.#options = options;
    this.#target = target;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, metrics } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      this.#progressed = false;
      this.#heard = false;
      const failure = await this.#followOnce(signal).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      if (signal.aborted) return;
      if (!isResumable(this.#version)) this.#version = undefined;
      const lastedMs = clock.monotonic() - startedAt;
      if (this.#progressed || lastedMs > LONGEST_DELAY_MS) failures = 0;
      if (!failure && !this.#heard && lastedMs >= LEAST_WATCH_MS) this.#forgetVersion('silence');
      if (!failure && (this.#progressed || lastedMs > SHORT_WATCH_MS)) continue;
      this.#forgetUselessVersion(failure?.error);
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS);
      const waitMs = Math.max(delayMs * (0.5 + clock.random() / 2), retryAfterMs(failure?.error));
      failures += 1;
      await clock.sleep(waitMs, signal).catch(() => {});
      metrics?.reconnected(waitMs);
    }
  }

  /** Until the watch ends or something fails. */
  async #followOnce(signal: AbortSignal): Promise<void> {
    const { clock, server } = this.#options;
    if (this.#version === undefined && server.initialEvents) {
      using initial = new InitialEvents<T>(clock);
      try {
        return await this.#watch(signal, initial);
      } catch (error) {
        const unknown = initial.overdue.aborted || refusesInitialEvents(error);
        if (initial.complete || !unknown || signal.aborted) throw error;
      }
    }
    if (this.#version === undefined) {
      await this.#list(signal);
      server.initialEvents = false;
    }
    await this.#watch(signal);
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { clock, metrics } = this.#options;
    const startedAt = clock.monotonic();
    metrics?.listStarted();
    try {
      const { items, metadata } = await listSnapshot(this.#options, signal);
      this.#replace(items, metadata.resourceVersion ?? '');
    } catch (error) {
      if (!signal.aborted) metrics?.listFailed(error);
      throw error;
    }
    metrics?.listFinished(clock.monotonic() - startedAt);
  }

  async #watch(signal: AbortSignal, initial?: InitialEvents<T>): Promise<void> {
    const { client, clock, kind, selection, metrics } = this.#options;
    const timeoutSeconds = Math.round(WATCH_SECONDS.least + clock.random() * WATCH_SECONDS.spread);
    using deadline = deadlineAfter(clock, (timeoutSeconds + GRACE_SECONDS) * 1000, signal);
    const start = initial
      ? { sendInitialEvents: true, signal: AbortSignal.any([deadline.signal, initial.overdue]) }
      : { resourceVersion: this.#version ?? '', signal: deadline.signal };
    this.#ordered = initial !== undefined || isResumable(this.#version);
    metrics?.watchStarted();
    try {
      for await (const event of client.watch(kind, { ...selection, ...start, timeoutSeconds })) {
        if (signal.aborted) return;
        this.#heard = true;
        if (!initial || initial.complete) {
          this.#apply(event);
          continue;
        }
        initial.take(event);
        if (initial.complete)
          this.#replace(initial.release(), event.object.metadata.resourceVersion);
      }
      if (initial && !initial.complete) {
        throw new ConnectionError('the watch ended before its initial events did');
      }
    } catch (error) {
      if (!signal.aborted) metrics?.watchFailed(error);
      throw error;
    }
    metrics?.watchEnded();
  }

  #replace(objects: Iterable<T>, resourceVersion: string): void {
    this.#target.replace(objects);
    this.#advanceTo(resourceVersion);
  }

  #apply(event: WatchEvent<T>): void {
    const { metrics } = this.#options;
    const { resourceVersion = '' } = event.object.metadata;
    this.#ordered ||= event.type !== 'ADDED';
    if (this.#ordered && isOlderVersion(resourceVersion, this.#version ?? '')) {
      metrics?.duplicate();
      return;
    }
    if (event.type === 'BOOKMARK') metrics?.bookmark();
    else {
      metrics?.event(event.type);
      this.#target.apply(event);
    }
    if (!this.#ordered) return;
    this.#progressed ||= resourceVersion !== this.#version;
    this.#advanceTo(resourceVersion);
  }

  #advanceTo(resourceVersion: string): void {
    this.#version = resourceVersion;
    this.#options.metrics?.version(resourceVersion);
  }

  #forgetUselessVersion(error: unknown): void {
    if (isGone(error)) this.#forgetVersion('expired');
    else if (isVersionTooLarge(error)) this.#forgetVersion('version-too-large');
  }

  #forgetVersion(reason: RelistReason): void {
    if (this.#version === undefined) return;
    this.#version = undefined;
    this.#options.metrics?.relisted(reason);
  }
}
