import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { present } from '@perigee/schema/present';

/**
 * Placeholder for an empty cluster list, which would mean all clusters. No cluster can have this
 * name.
 */
export const NO_CLUSTER = 'NO-CLUSTER-HAS-THE-DATA';

/** The intersection of all sets, sorted. */
export const inAll = (sets: readonly (readonly string[])[]): readonly string[] => {
  const [first = [], ...others] = sets;
  const rest = others.map((set) => new Set(set));
  return [...new Set(first)].filter((name) => rest.every((set) => set.has(name))).sort();
};

const narrowAffinity = <A extends ClusterAffinity>(
  affinity: A,
  allowedClusters: ReadonlySet<string>,
): A => {
  const { clusterNames = [] } = affinity;
  const names =
    clusterNames.length === 0
      ? [...allowedClusters]
      : clusterNames.filter((name) => allowedClusters.has(name));
  return { ...affinity, clusterNames: names.length === 0 ? [NO_CLUSTER] : names };
};

/** Maps every affinity of a placement: each term, and its overflow affinities. */
export const mapAffinities = (
  placement: Placement,
  change: <A extends ClusterAffinity>(affinity: A) => A,
): Placement => {
  const { clusterAffinity, clusterAffinities = [], ...rest } = placement;
  // An empty list of terms means all clusters. A cluster affinity set beside terms would override
  // them.
  if (clusterAffinities.length === 0) {
    return { ...rest, clusterAffinity: change(clusterAffinity ?? {}) };
  }
  return {
    ...rest,
    ...present({ clusterAffinity: clusterAffinity && change(clusterAffinity) }),
    clusterAffinities: clusterAffinities.map((term) => {
      const { overflowAffinities } = term;
      const primary = change(term);
      return overflowAffinities === undefined
        ? primary
        : { ...primary, overflowAffinities: overflowAffinities.map((one) => change(one)) };
    }),
  };
};

/** Restricts a placement to the allowed clusters. */
export const combinePlacement = (
  placement: Placement,
  allowedClusters: readonly string[],
): Placement => {
  const set = new Set(allowedClusters);
  return mapAffinities(placement, (affinity) => narrowAffinity(affinity, set));
};
