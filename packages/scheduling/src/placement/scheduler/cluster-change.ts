import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { sameJson } from '@perigee/schema/same-json';
import { affinityPredicate, type ClusterPredicate } from '../../clusters/cluster-affinity.ts';
import { SAME_AS } from '../../clusters/inventory/same-cluster.ts';
import type { Binding } from '../binding/binding.ts';

/** The effect of a cluster's change: none, room for waiting work, or a different fit for placed work as well. */
export type ClusterChange = 'none' | 'room' | 'fit';

const summaryOf = ({ status }: MemberCluster) => status?.resourceSummary;
const apisOf = ({ status }: MemberCluster) => status?.apiEnablements;

export const clusterChange = (
  now: MemberCluster | undefined,
  before: MemberCluster | undefined,
): ClusterChange => {
  if (now === undefined || before === undefined) return 'fit';
  const isFitChanged =
    now.metadata.generation !== before.metadata.generation ||
    now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
    now.metadata.annotations?.[SAME_AS] !== before.metadata.annotations?.[SAME_AS] ||
    !sameJson(now.metadata.labels, before.metadata.labels) ||
    // Work of a newly served kind may be placed already, without that cluster.
    !sameJson(apisOf(now), apisOf(before));
  if (isFitChanged) return 'fit';
  return sameJson(summaryOf(now), summaryOf(before)) ? 'none' : 'room';
};

/** The clusters that a binding could use by its affinities; any of its terms counts. */
export const usableBy = ({ spec }: Pick<Binding, 'spec'>): ClusterPredicate => {
  const { clusterAffinity, clusterAffinities } = spec.placement ?? {};
  if (clusterAffinity !== undefined) return affinityPredicate(clusterAffinity);
  if (clusterAffinities === undefined) return () => true;
  const terms = clusterAffinities
    .flatMap((term) => [term, ...(term.overflowAffinities ?? [])])
    .map(affinityPredicate);
  return (cluster) => terms.some((holds) => holds(cluster));
};
