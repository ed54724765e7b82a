import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import { formOf } from '../registry/object-form.ts';
import { prefixOf, type Registry } from '../registry/registry.ts';
import { type Selectors, selectionOf } from '../registry/selection.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Store, TableEvent } from '../store/store.ts';
import { entriesOf, subjectOf } from '../store/store-event.ts';
import { type Notice, noticeOf, objectOf } from '../watch/watch-event.ts';

export interface WatchClustersOptions extends Selectors {
  /** Absent means all namespaces. */
  readonly namespace?: string;
  readonly signal?: AbortSignal;
}

/** A change in one of the clusters. */
export type ClusterEvent<K extends ResourceKind = ResourceKind> =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly cluster: string;
      readonly object: StoredObjectOf<K>;
    }
  /** The end of the initial objects. */
  | { readonly type: 'SYNCED'; readonly resourceVersion: string };

/** The store and the records of the clusters. */
export interface WatchedClusters {
  readonly store: Store;
  readonly registryOf: (cluster: string) => Registry | undefined;
}

const clusterOf = (table: string): string => table.slice(0, table.indexOf('/'));

/** The resource of a kind in each cluster; also of one that has just been removed. */
class ServedKind {
  readonly #kind: ResourceKind;
  readonly #registryOf: WatchedClusters['registryOf'];
  readonly #lastResources = new Map<string, ServedResource>();

  constructor(kind: ResourceKind, registryOf: WatchedClusters['registryOf']) {
    this.#kind = kind;
    this.#registryOf = registryOf;
  }

  /** Undefined when the table has other objects, or the cluster does not serve the kind. */
  of(table: string): ServedResource | undefined {
    if (!table.endsWith(`/${this.#kind.plural}`)) return undefined;
    const cluster = clusterOf(table);
    const servedResource = this.#registryOf(cluster)?.resources.find(this.#kind);
    if (servedResource !== undefined) this.#lastResources.set(cluster, servedResource);
    const resource = servedResource ?? this.#lastResources.get(cluster);
    if (resource === undefined) return undefined;
    const { group, plural } = resource.storage;
    return table === `${cluster}/${group}/${plural}` ? resource : undefined;
  }
}

/**
 * All objects of a kind in all clusters, those to come included, and then every change, over one
 * subscription to the store. It ends when its reader is too slow: then begin again.
 */
export async function* watchClusters<K extends ResourceKind>(
  { store, registryOf }: WatchedClusters,
  kind: K,
  options: WatchClustersOptions = {},
): AsyncGenerator<ClusterEvent<K>, void> {
  const { signal, namespace } = options;
  signal?.throwIfAborted();
  using changes = store.watchAll();
  const stop = () => changes[Symbol.dispose]();
  signal?.addEventListener('abort', stop, { once: true });
  using _ = { [Symbol.dispose]: () => signal?.removeEventListener('abort', stop) };
  const kinds = new ServedKind(kind, registryOf);
  const prefix = prefixOf(namespace) ?? '';
  const { revision } = store;
  const initial = store
    .tables()
    .flatMap((table): TableEvent[] =>
      kinds.of(table) === undefined
        ? []
        : store
            .range(table, { prefix })
            .entries.map((entry) => ({ type: 'ADDED', table, revision: entry.revision, entry })),
    );
  const emit = async function* (events: readonly TableEvent[]) {
    for (const event of events) {
      const resource = kinds.of(event.table);
      if (resource === undefined || !subjectOf(event).key.startsWith(prefix)) continue;
      const form = formOf(resource);
      await form.versions?.convert(entriesOf(event));
      const notice: Notice | undefined = noticeOf(event, selectionOf(resource, options), form);
      if (notice === undefined) continue;
      const object = objectOf(notice, form) as unknown as StoredObjectOf<K>;
      yield { type: notice.type, cluster: clusterOf(event.table), object };
    }
  };
  yield* emit(initial);
  yield { type: 'SYNCED', resourceVersion: String(revision) };
  for await (const events of changes) yield* emit(events);
  signal?.throwIfAborted();
}
