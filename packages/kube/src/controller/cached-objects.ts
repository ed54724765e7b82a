import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Informer } from '../informer/informer.ts';
import type { InformerSet } from '../informer/informer-set.ts';

/** The objects of a kind as last seen. Reading costs no request; they are shared, so never change them. */
export type CachedObjects<T extends KubeObject> = Pick<
  Informer<T>,
  'get' | 'list' | 'listNamespace' | 'byIndex'
>;

/** Finds the cache of a kind. */
export type Caches = <T extends KubeObject>(kind: ResourceKind<T>) => CachedObjects<T>;

/**
 * Only the caches that were waited for: what is read from another could be empty for no other reason
 * than that it is not full yet.
 */
export const cachesOf = (
  informers: InformerSet,
  declared: Iterable<ResourceKind>,
  controller: string,
): Caches => {
  const declaredNames = new Set(Array.from(declared, ({ group, plural }) => `${group}/${plural}`));
  /** Caches are asked for many times in a reconcile. */
  const cacheByKind = new WeakMap<ResourceKind, unknown>();
  return <T extends KubeObject>(kind: ResourceKind<T>) => {
    const existing = cacheByKind.get(kind);
    // The cache of a kind holds objects of that kind.
    if (existing !== undefined) return existing as CachedObjects<T>;
    if (!declaredNames.has(`${kind.group}/${kind.plural}`)) {
      throw new RangeError(
        `the controller "${controller}" reads ${kind.plural} without having said so: ` +
          `add the kind to its "reads"`,
      );
    }
    const informer = informers.for(kind);
    cacheByKind.set(kind, informer);
    return informer;
  };
};
