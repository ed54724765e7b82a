import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client, ObjectRef } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import { type HandlerOptions, HandlerSet } from './handler-set.ts';
import type { InformerHandler } from './informer-handler.ts';
import type { InformerMetrics } from './informer-metrics.ts';
import { ObjectCache } from './object-cache.ts';
import { type Indexer, ObjectStore } from './object-store.ts';
import { type Preparation, preparation } from './prepare-object.ts';
import { Reflector, type ServerTraits } from './reflector.ts';
import type { Selection } from './selection.ts';

export interface InformerOptions<T extends KubeObject> extends Preparation<T> {
  readonly client: Client;
  readonly clock: Clock;
  readonly kind: ResourceKind<T>;
  readonly selection?: Selection;
  /** Shared by the informers of one server, so that each finding is made once. */
  readonly server?: ServerTraits;
  readonly metrics?: InformerMetrics;
}

/**
 * A local copy of the objects of a kind, kept up to date, with an event for every change. Reading it
 * costs no request. It goes on, whatever happens to the connection or the server, until it is
 * stopped. Objects are shared with all readers and must not be changed.
 */
export class Informer<T extends KubeObject> implements AsyncDisposable {
  readonly kind: ResourceKind<T>;
  readonly #store: ObjectStore<T>;
  readonly #handlers: HandlerSet<T>;
  readonly #reflector: Reflector<T>;
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions<T>) {
    const { client, clock, kind, metrics, selection = {} } = options;
    const { server = { initialEvents: true } } = options;
    const store = new ObjectStore<T>((error) => metrics?.callbackFailed('indexer', error));
    const handlers = new HandlerSet<T>(
      clock,
      () => store.values(),
      (error) => metrics?.callbackFailed('handler', error),
    );
    const cache = new ObjectCache<T>({ store, handlers, prepare: preparation(options), metrics });
    this.kind = kind;
    this.#store = store;
    this.#handlers = handlers;
    this.#reflector = new Reflector(
      { client, clock, kind, selection, server, metrics },
      {
        replace: (objects) => {
          cache.replace(objects);
          this.#hasSynced = true;
          this.#synced.resolve();
        },
        apply: (event) => cache.apply(event),
      },
    );
    this.#synced.promise.catch(() => {});
  }

  /** True if the first state was fetched and the handlers have it. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Resolves when `hasSynced` becomes true; rejects when the informer is stopped before that. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get size(): number {
    return this.#store.size;
  }

  get(ref: ObjectRef): T | undefined {
    return this.#store.get(ref);
  }

  /** All objects; the very same array until one of them changes. */
  list(): readonly T[] {
    return this.#store.list();
  }

  listNamespace(namespace: string): readonly T[] {
    return this.#store.inNamespace(namespace);
  }

  /** The objects for which the named indexer gives this key. */
  byIndex(name: string, key: string): readonly T[] {
    return this.#store.byIndex(name, key);
  }

  addIndexer(name: string, indexer: Indexer<T>): void {
    this.#store.addIndexer(name, indexer);
  }

  /** A handler that comes late gets the present objects at once. Disposing the result removes it. */
  addHandler(handler: InformerHandler<T>, options: HandlerOptions = {}): Disposable {
    return this.#handlers.add(handler, options);
  }

  /** Begins to fetch and watch; once begun, it does nothing. */
  start(): void {
    this.#running ??= this.#reflector.run(this.#stop.signal);
  }

  /** Ends it for good; the cache stays as it was. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#handlers[Symbol.dispose]();
    this.#synced.reject(this.#stop.signal.reason);
    await this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
