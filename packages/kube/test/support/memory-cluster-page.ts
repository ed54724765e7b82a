import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { List, ListOptions } from '../../src/client/client.ts';
import type { MemoryCluster } from './memory-cluster.ts';
import { selects } from './memory-cluster-selector.ts';
import type { MemoryObject } from './memory-cluster-write.ts';

interface Position {
  readonly revision: number;
  /** The last key that was already given out. */
  readonly after: string;
}

const startOf = (cluster: MemoryCluster, options: ListOptions): Position => {
  if (options.continue) return JSON.parse(options.continue);
  const requestedRevision = Number(options.resourceVersion ?? 0);
  const exact = options.resourceVersionMatch === 'Exact' || requestedRevision > cluster.revision;
  return { revision: exact ? requestedRevision : cluster.revision, after: '' };
};

/** One page of a list; all pages of a list show the same revision. */
export const pageOf = (
  cluster: MemoryCluster,
  kind: ResourceKind,
  options: ListOptions,
): List<MemoryObject> => {
  const { revision, after } = startOf(cluster, options);
  const matches = selects(options);
  const remainingObjects = cluster
    .objects(kind, revision)
    .filter(([key, object]) => key > after && matches(object));
  const page = options.limit ? remainingObjects.slice(0, options.limit) : remainingObjects;
  const last = page.at(-1)?.[0];
  const more = page.length < remainingObjects.length && {
    continue: JSON.stringify({ revision, after: last }),
    remainingItemCount: remainingObjects.length - page.length,
  };
  return {
    metadata: { resourceVersion: String(revision), ...more },
    items: page.map(([, object]) => object),
  };
};
