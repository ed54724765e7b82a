import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import { labelValue } from '@perigee/api/values/label-requirement';
import { RecentMap } from '@perigee/schema/recent-map';
import type { ClusterFacts } from './cluster-facts.ts';

type Clusters = readonly ClusterFacts[];
/** Positions in the list of clusters, ascending. */
type Positions = readonly number[];

const NONE: Positions = [];
/** Limit of indexed label keys: policies may select by any. */
const MOST_INDEXED = 256;

/** Compares the indexed fields. Labels are compared by identity first: versions of a cluster often share the object. */
const isAlike = (a: ClusterFacts, b: ClusterFacts): boolean => {
  if (a === b) return true;
  if (a.name !== b.name || a.region !== b.region || a.provider !== b.provider) return false;
  if (a.labels === b.labels) return true;
  const keys = Object.keys(a.labels);
  return (
    keys.length === Object.keys(b.labels).length &&
    keys.every((key) => a.labels[key] === b.labels[key])
  );
};

const positionsBy = (
  clusters: Clusters,
  read: (cluster: ClusterFacts) => string | undefined,
): ReadonlyMap<string, Positions> => {
  const positions = new Map<string, number[]>();
  for (const [at, cluster] of clusters.entries()) {
    const value = read(cluster);
    if (value === undefined) continue;
    const sameValue = positions.get(value);
    if (sameValue === undefined) positions.set(value, [at]);
    else sameValue.push(at);
  }
  return positions;
};

const inOrder = (positions: Iterable<number>): Positions =>
  [...new Set(positions)].sort((a, b) => a - b);

/**
 * Finds the clusters that may match an affinity by name, labels, region and provider, instead of testing all of them.
 * A label is indexed when an affinity first uses it.
 */
class ClusterIndex {
  #clusters: Clusters;
  readonly #by = new RecentMap<string, ReadonlyMap<string, Positions>>(MOST_INDEXED);

  constructor(clusters: Clusters) {
    this.#clusters = clusters;
  }

  /** Adopts the next version of the list, unless a name or labels changed at some position. */
  follows(clusters: Clusters): boolean {
    const own = this.#clusters;
    const isSame =
      own.length === clusters.length &&
      clusters.every((cluster, at) => isAlike(cluster, own[at] as ClusterFacts));
    if (isSame) this.#clusters = clusters;
    return isSame;
  }

  /** Positions that include all clusters of the affinity; undefined if these may be anywhere. */
  among({ clusterNames = [], labelSelector, fieldSelector }: ClusterAffinity) {
    const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {};
    const narrowings = [
      ...(clusterNames.length === 0 ? [] : [this.#with('name', ({ name }) => name, clusterNames)]),
      ...Object.entries(matchLabels).map(([key, value]) => this.#positionsOfLabel(key, [value])),
      ...matchExpressions
        .filter(({ operator }) => operator === 'In')
        .map(({ key, values = [] }) => this.#positionsOfLabel(key, values)),
      ...(fieldSelector?.matchExpressions ?? []).flatMap(({ key, operator, values = [] }) =>
        operator === 'In' && key !== 'zone'
          ? [this.#with(key, (cluster) => cluster[key], values)]
          : [],
      ),
    ];
    return narrowings.reduce<Positions | undefined>(
      (least, one) => (least === undefined || one.length < least.length ? one : least),
      undefined,
    );
  }

  #positionsOfLabel(key: string, values: readonly string[]): Positions {
    const read = ({ labels }: ClusterFacts) => labelValue(labels, key);
    return this.#with(`label ${key}`, read, values);
  }

  #with(
    what: string,
    read: (cluster: ClusterFacts) => string | undefined,
    values: readonly string[],
  ): Positions {
    const positions = this.#by.get(what) ?? positionsBy(this.#clusters, read);
    this.#by.set(what, positions);
    const [only] = values;
    if (values.length === 1 && only !== undefined) return positions.get(only) ?? NONE;
    return inOrder(values.flatMap((value) => positions.get(value) ?? NONE));
  }
}

const indexes = new WeakMap<Clusters, ClusterIndex>();
let latest: ClusterIndex | undefined;

/** The index of a list; reused from the previous list while the indexed fields are the same. */
const indexOf = (clusters: Clusters): ClusterIndex => {
  const cachedIndex = indexes.get(clusters);
  if (cachedIndex !== undefined) return cachedIndex;
  if (latest?.follows(clusters) !== true) latest = new ClusterIndex(clusters);
  indexes.set(clusters, latest);
  return latest;
};

/**
 * The clusters that may match one of the affinities, in the order of the list: the few to test instead of all.
 * Undefined if all must be tested.
 */
export const clustersAmong = (
  clusters: Clusters,
  affinities: readonly ClusterAffinity[],
): Clusters | undefined => {
  const index = indexOf(clusters);
  const positionLists: Positions[] = [];
  for (const affinity of affinities) {
    const positions = index.among(affinity);
    if (positions === undefined) return undefined;
    positionLists.push(positions);
  }
  const [first = NONE] = positionLists;
  const positions = positionLists.length === 1 ? first : inOrder(positionLists.flat());
  return positions.map((at) => clusters[at] as ClusterFacts);
};
