import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import type { Placement } from '@perigee/api/kinds/placement/placement';

/** Stands where no cluster is left: an empty list would mean all. No cluster can be called this. */
export const NO_CLUSTER = 'NO-CLUSTER-HAS-THE-DATA';

/** The clusters that are in all sets, in order. */
export const inAll = (sets: readonly (readonly string[])[]): readonly string[] => {
  const [first = [], ...others] = sets;
  const rest = others.map((set) => new Set(set));
  return [...new Set(first)].filter((name) => rest.every((set) => set.has(name))).sort();
};

const narrowed = <A extends ClusterAffinity>(affinity: A, allowed: ReadonlySet<string>): A => {
  const { clusterNames = [] } = affinity;
  const names =
    clusterNames.length === 0 ? [...allowed] : clusterNames.filter((name) => allowed.has(name));
  return { ...affinity, clusterNames: names.length === 0 ? [NO_CLUSTER] : names };
};

/** The placement with each of its affinities changed: every term, and what takes their overflow. */
export const mapAffinities = (
  placement: Placement,
  change: <A extends ClusterAffinity>(affinity: A) => A,
): Placement => {
  const { clusterAffinity, clusterAffinities = [], ...rest } = placement;
  // An empty list of terms means all clusters, and one affinity beside terms would put them out of force.
  if (clusterAffinities.length === 0) {
    return { ...rest, clusterAffinity: change(clusterAffinity ?? {}) };
  }
  return {
    ...rest,
    ...(clusterAffinity === undefined ? {} : { clusterAffinity: change(clusterAffinity) }),
    clusterAffinities: clusterAffinities.map((term) => {
      const { overflowAffinities } = term;
      const primary = change(term);
      return overflowAffinities === undefined
        ? primary
        : { ...primary, overflowAffinities: overflowAffinities.map((one) => change(one)) };
    }),
  };
};

/** The placement, within the allowed clusters. */
export const combinePlacement = (placement: Placement, allowed: readonly string[]): Placement => {
  const set = new Set(allowed);
  return mapAffinities(placement, (affinity) => narrowed(affinity, set));
};
