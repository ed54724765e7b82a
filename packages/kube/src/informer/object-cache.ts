import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { HandlerSet } from './handler-set.ts';
import type { InformerMetrics } from './informer-metrics.ts';
import type { ObjectStore } from './object-store.ts';
import type { ObjectEvent, ReflectorTarget } from './reflector.ts';

export interface ObjectCacheOptions<T extends KubeObject> {
  readonly store: ObjectStore<T>;
  readonly handlers: HandlerSet<T>;
  /** Reduces an object to the parts to cache. */
  readonly prepare: (object: T) => T;
  readonly metrics: InformerMetrics | undefined;
}

const isSameObject = (a: KubeObject, b: KubeObject): boolean => a.metadata.uid === b.metadata.uid;

/** Objects without a version, as those of some aggregated APIs, may differ without notice. */
const isSameVersion = (a: KubeObject, b: KubeObject): boolean =>
  Boolean(a.metadata.resourceVersion) &&
  a.metadata.resourceVersion === b.metadata.resourceVersion &&
  isSameObject(a, b);

/**
 * Turns the events of a server into changes: puts each into the store first, then notifies the handlers.
 * Events without a change do nothing, and an object that was replaced by another of the same name
 * is seen to go before the other comes.
 */
export class ObjectCache<T extends KubeObject> implements ReflectorTarget<T> {
  readonly #options: ObjectCacheOptions<T>;
  #initial = true;

  constructor(options: ObjectCacheOptions<T>) {
    this.#options = options;
  }

  replace(objects: Iterable<T>): void {
    const { store, metrics } = this.#options;
    const removals = new Set(store.values());
    const additions: T[] = [];
    for (const object of objects) {
      const old = store.get(object.metadata);
      if (old) removals.delete(old);
      if (!old || !isSameVersion(old, object)) additions.push(object);
    }
    for (const old of removals) this.#remove(old);
    for (const object of additions) this.#put(object, store.get(object.metadata));
    this.#initial = false;
    metrics?.objects(store.size);
  }

  apply({ type, object }: ObjectEvent<T>): void {
    const { store, metrics } = this.#options;
    const old = store.get(object.metadata);
    if (type !== 'DELETED') this.#put(object, old);
    else if (!old) metrics?.duplicate();
    else if (isSameObject(old, object)) this.#remove(old, object);
    else this.#remove(old);
    metrics?.objects(store.size);
  }

  #put(received: T, old: T | undefined): void {
    const { store, handlers, metrics } = this.#options;
    if (old && isSameVersion(old, received)) {
      metrics?.duplicate();
      return;
    }
    const object = this.#prepare(received);
    if (!object) return;
    if (old && isSameObject(old, object)) {
      store.set(object);
      handlers.updated(object, old);
      return;
    }
    if (old) this.#remove(old);
    store.set(object);
    handlers.added(object, { initial: this.#initial });
  }

  /** Its final state is not known if the server sent no event for the deletion. */
  #remove(old: T, final?: T): void {
    const { store, handlers } = this.#options;
    store.delete(old);
    const object = final && this.#prepare(final);
    handlers.deleted(object ?? old, { lastKnown: object === undefined });
  }

  /** Undefined when it cannot be prepared; the cache then keeps what it had. */
  #prepare(object: T): T | undefined {
    const { prepare, metrics } = this.#options;
    try {
      return prepare(object);
    } catch (error) {
      metrics?.callbackFailed('transform', error);
      return undefined;
    }
  }
}
