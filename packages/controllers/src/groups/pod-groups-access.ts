import type { ClusterRoleWritten } from '@perigee/kubernetes/rbac/cluster-role';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import { present } from '@perigee/schema/present';

const rule = (
  apiGroup: string,
  resources: readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
): PolicyRule => ({
  apiGroups: [apiGroup],
  resources: [...resources],
  ...present({ resourceNames: resourceNames && [...resourceNames] }),
  verbs: [...verbs],
});

const READ = ['get', 'list', 'watch'];
const AGGREGATE = 'groups.perigee.io/aggregate-to-pod-groups';

/** Rights for managing PodGroups in a cluster, without those for the owners of pods. */
const MAKE_GROUPS: readonly PolicyRule[] = [
  rule('', ['pods'], ['list', 'watch', 'patch']),
  rule('', ['namespaces'], ['list', 'watch']),
  rule('', ['events'], ['create', 'patch']),
  rule('scheduling.volcano.sh', ['podgroups'], ['list', 'watch', 'create', 'update', 'delete']),
];

/** The usual owners of pods. */
const READ_OWNERS: readonly PolicyRule[] = [
  rule('apps', ['deployments', 'replicasets', 'statefulsets', 'daemonsets'], READ),
  rule('batch', ['jobs', 'cronjobs'], READ),
  rule('argoproj.io', ['workflows'], READ),
];

const NAME = 'perigee-pod-groups';

/**
 * The ClusterRoles for PodGroups. Further kinds of owners are granted by a ClusterRole with the aggregation label
 * of the second; the chain of owners ends at one that may not be read.
 */
export const podGroupClusterRoles = (): readonly ClusterRoleWritten[] => [
  { metadata: { name: NAME }, rules: MAKE_GROUPS },
  {
    metadata: { name: 'perigee-pod-group-owners', labels: { [AGGREGATE]: 'true' } },
    rules: READ_OWNERS,
  },
  {
    metadata: { name: 'perigee-pod-groups-all' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [AGGREGATE]: 'true' } }] },
    rules: [],
  },
];

/** Namespaced Roles: for the rules, and for the leader election leases, ours and Volcano's. */
export const podGroupRoles = () => [
  {
    metadata: { namespace: 'volcano-system', name: NAME },
    rules: [
      rule('', ['configmaps'], ['list', 'watch'], ['volcano-controller-configmap']),
      // To detect Volcano's controllers.
      rule('coordination.k8s.io', ['leases'], ['get'], ['vc-controller-manager']),
    ],
  },
  {
    metadata: { namespace: 'kube-system', name: NAME },
    rules: [
      rule('coordination.k8s.io', ['leases'], ['get', 'watch', 'update'], [NAME]),
      // RBAC cannot restrict `create` by name.
      rule('coordination.k8s.io', ['leases'], ['create']),
    ],
  },
];
