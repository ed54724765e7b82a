import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { NewCondition } from '@perigee/api/values/conditions';

/**
 * On an execution target: the name under which its cluster was registered first. Nothing is
 * scheduled to the duplicate: the capacity would count twice, and a workload could collide with
 * itself.
 */
export const SAME_AS = 'globalscheduler.com/same-as';

export const UNIQUE = 'Unique';

interface KnownCluster {
  readonly metadata: { readonly name: string; readonly creationTimestamp?: string };
}

const isBefore = (a: KnownCluster, b: KnownCluster): boolean => {
  const [early = '', late = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return early === late ? a.metadata.name < b.metadata.name : early < late;
};

/** The first name of a cluster registered several times; undefined if this is it. */
export const knownBeforeAs = (
  cluster: KnownCluster,
  same: readonly KnownCluster[],
): string | undefined => {
  const first = same.reduce((best, other) => (isBefore(other, best) ? other : best), cluster);
  return first.metadata.name === cluster.metadata.name ? undefined : first.metadata.name;
};

/** The uid of the cluster; undefined until a probe has read it. */
export const clusterIdOf = ({ status }: Pick<ClusterRecord, 'status'>): string | undefined =>
  status?.clusterID || undefined;

/** Condition of a cluster that is registered under another name, too. */
export const sameClusterCondition = (
  other: string,
): NewCondition<'ClusterRecord' | 'MemberCluster', 'Unique'> => ({
  type: UNIQUE,
  status: 'False',
  reason: 'SameCluster',
  message: `it is the same cluster as ${other}: the uid of its namespace kube-system is the same. Nothing is placed here; unregister one of the two`,
});
