import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { InformerSet } from '../informer/informer-set.ts';
import type { Indexer } from '../informer/object-store.ts';

/** An index: finds the objects of a kind by something else than their name. */
export interface CacheIndex {
  readonly kind: ResourceKind;
  addTo(informers: InformerSet): void;
}

/** `cache(kind).byIndex(name, key)` then gives the objects for which the indexer gives this key. */
export const index = <T extends KubeObject>(
  kind: ResourceKind<T>,
  name: string,
  indexer: Indexer<T>,
): CacheIndex => ({
  kind,
  addTo: (informers) => informers.for(kind).addIndexer(name, indexer),
});
