import type { ClusterRoleWritten } from '@perigee/kubernetes/rbac/cluster-role';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';

const rule = (
  apiGroup: string,
  resources: readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
): PolicyRule => ({
  apiGroups: [apiGroup],
  resources: [...resources],
  ...(resourceNames === undefined ? {} : { resourceNames: [...resourceNames] }),
  verbs: [...verbs],
});

const READ = ['get', 'list', 'watch'];
const AGGREGATE = 'groups.perigee.io/aggregate-to-pod-groups';

/** What it takes to make groups in a cluster, beside reading the owners of pods. */
const MAKE_GROUPS: readonly PolicyRule[] = [
  rule('', ['pods'], ['list', 'watch', 'patch']),
  rule('', ['namespaces'], ['list', 'watch']),
  rule('', ['events'], ['create', 'patch']),
  rule('scheduling.volcano.sh', ['podgroups'], ['list', 'watch', 'create', 'update', 'delete']),
];

/** The owners that pods have in most clusters. */
const READ_OWNERS: readonly PolicyRule[] = [
  rule('apps', ['deployments', 'replicasets', 'statefulsets', 'daemonsets'], READ),
  rule('batch', ['jobs', 'cronjobs'], READ),
  rule('argoproj.io', ['workflows'], READ),
];

const NAME = 'perigee-pod-groups';

/**
 * The roles that making groups takes in the whole cluster. Reading further kinds of owners is granted by a
 * ClusterRole with the label of the second; owners that may not be read end the way up.
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

/** Those that it takes in one namespace: the rules, and the leases of who of several leads, here and of Volcano's. */
export const podGroupRoles = () => [
  {
    metadata: { namespace: 'volcano-system', name: NAME },
    rules: [
      rule('', ['configmaps'], ['list', 'watch'], ['volcano-controller-configmap']),
      // Whether Volcano's own controllers run.
      rule('coordination.k8s.io', ['leases'], ['get'], ['vc-controller-manager']),
    ],
  },
  {
    metadata: { namespace: 'kube-system', name: NAME },
    rules: [
      rule('coordination.k8s.io', ['leases'], ['get', 'watch', 'update'], [NAME]),
      // A name is not known yet when something is created.
      rule('coordination.k8s.io', ['leases'], ['create']),
    ],
  },
];
