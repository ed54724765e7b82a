import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import { RecentMap } from '@perigee/schema/recent-map';
import type { ClusterFacts } from './cluster-facts.ts';

type Clusters = readonly ClusterFacts[];
/** Positions in the list of clusters, ascending. */
type Positions = readonly number[];

const NONE: Positions = [];
/** So many names of labels are kept an index of: those that policies ask for may be any. */
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

const grouped = (
  clusters: Clusters,
  read: (cluster: ClusterFacts) => string | undefined,
): ReadonlyMap<string, Positions> => {
  const positions = new Map<string, number[]>();
  for (const [at, cluster] of clusters.entries()) {
    const value = read(cluster);
    if (value === undefined) continue;
    const known = positions.get(value);
    if (known === undefined) positions.set(value, [at]);
    else known.push(at);
  }
  return positions;
};

const inOrder = (positions: Iterable<number>): Positions =>
  [...new Set(positions)].sort((a, b) => a - b);

/**
 * Finds the clusters that an affinity may mean without a look at each: by name, by the values of labels, by region and
 * provider. An index of a label is made when the first affinity asks for it.
 */
class ClusterIndex {
  #clusters: Clusters;
  readonly #by = new RecentMap<string, ReadonlyMap<string, Positions>>(MOST_INDEXED);

  constructor(clusters: Clusters) {
    this.#clusters = clusters;
  }

  /** Follows the list on to its next version, unless one of another name or with other labels stands somewhere. */
  follows(clusters: Clusters): boolean {
    const own = this.#clusters;
    const isSame =
      own.length === clusters.length &&
      clusters.every((cluster, at) => isAlike(cluster, own[at] as ClusterFacts));
    if (isSame) this.#clusters = clusters;
    return isSame;
  }

  /** All clusters that the affinity means are among these; nothing when they may be anywhere. */
  among({ clusterNames = [], labelSelector, fieldSelector }: ClusterAffinity) {
    const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {};
    const narrowings = [
      ...(clusterNames.length === 0 ? [] : [this.#with('name', ({ name }) => name, clusterNames)]),
      ...Object.entries(matchLabels).map(([key, value]) => this.#labelled(key, [value])),
      ...matchExpressions
        .filter(({ operator }) => operator === 'In')
        .map(({ key, values = [] }) => this.#labelled(key, values)),
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

  #labelled(key: string, values: readonly string[]): Positions {
    const read = ({ labels }: ClusterFacts) =>
      Object.hasOwn(labels, key) ? labels[key] : undefined;
    return this.#with(`label ${key}`, read, values);
  }

  #with(
    what: string,
    read: (cluster: ClusterFacts) => string | undefined,
    values: readonly string[],
  ): Positions {
    const positions = this.#by.get(what) ?? grouped(this.#clusters, read);
    this.#by.set(what, positions);
    const [only] = values;
    if (values.length === 1 && only !== undefined) return positions.get(only) ?? NONE;
    return inOrder(values.flatMap((value) => positions.get(value) ?? NONE));
  }
}

const indexes = new WeakMap<Clusters, ClusterIndex>();
let latest: ClusterIndex | undefined;

/** The index of a list; that of the list before while clusters differ in nothing that the index goes by. */
const indexOf = (clusters: Clusters): ClusterIndex => {
  const known = indexes.get(clusters);
  if (known !== undefined) return known;
  if (latest?.follows(clusters) !== true) latest = new ClusterIndex(clusters);
  indexes.set(clusters, latest);
  return latest;
};

/**
 * The clusters that any of some affinities may mean, in the order of the list: a few that have to be looked at instead
 * of all. Nothing when the affinities do not tell.
 */
export const clustersAmong = (
  clusters: Clusters,
  affinities: readonly ClusterAffinity[],
): Clusters | undefined => {
  const index = indexOf(clusters);
  const found: Positions[] = [];
  for (const affinity of affinities) {
    const positions = index.among(affinity);
    if (positions === undefined) return undefined;
    found.push(positions);
  }
  const [first = NONE] = found;
  const positions = found.length === 1 ? first : inOrder(found.flat());
  return positions.map((at) => clusters[at] as ClusterFacts);
};
