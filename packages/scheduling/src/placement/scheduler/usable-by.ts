import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { affinityPredicate, type ClusterPredicate } from './cluster-affinity.ts';

/** Which clusters a binding could use, by what its placement says of clusters; any of its terms counts. */
export const usableBy = ({ placement }: Pick<BindingSpec, 'placement'>): ClusterPredicate => {
  const { clusterAffinity, clusterAffinities } = placement ?? {};
  if (clusterAffinity !== undefined) return affinityPredicate(clusterAffinity);
  if (clusterAffinities === undefined) return () => true;
  const terms = clusterAffinities
    .flatMap((term) => [term, ...(term.overflowAffinities ?? [])])
    .map(affinityPredicate);
  return (cluster) => terms.some((holds) => holds(cluster));
};
