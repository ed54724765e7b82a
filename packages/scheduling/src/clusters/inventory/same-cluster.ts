import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { NewCondition } from '@perigee/api/values/conditions';

/**
 * On an execution target: the name under which its cluster was known before. Nothing is placed there, or the
 * cluster would count twice and the same work could meet itself.
 */
export const SAME_AS = 'globalscheduler.com/same-as';

export const UNIQUE = 'Unique';

interface Known {
  readonly metadata: { readonly name: string; readonly creationTimestamp?: string };
}

const isBefore = (a: Known, b: Known): boolean => {
  const [early = '', late = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return early === late ? a.metadata.name < b.metadata.name : early < late;
};

/** The name that a cluster was known under first, of all who are the same; nothing when it is its own. */
export const knownBeforeAs = (cluster: Known, same: readonly Known[]): string | undefined => {
  const first = same.reduce((best, other) => (isBefore(other, best) ? other : best), cluster);
  return first.metadata.name === cluster.metadata.name ? undefined : first.metadata.name;
};

/** By which uid a cluster is known; nothing until somebody has found out. */
export const clusterIdOf = ({ status }: Pick<ClusterRecord, 'status'>): string | undefined =>
  status?.clusterID || undefined;

/** Says that a cluster is there under another name. */
export const sameClusterCondition = (
  other: string,
): NewCondition<'ClusterRecord' | 'MemberCluster', 'Unique'> => ({
  type: UNIQUE,
  status: 'False',
  reason: 'SameCluster',
  message: `it is the same cluster as ${other}: the uid of its namespace kube-system is the same. Nothing is placed here; unregister one of the two`,
});
