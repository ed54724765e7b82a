import type { Kind } from '@perigee/api/kind/define-kind';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import type { ClusterRoleWritten } from '@perigee/kubernetes/rbac/cluster-role';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import { AUTO_UPDATE } from '../rbac/default-policy/policy-set.ts';
import { on, READ, READ_WRITE } from '../rbac/default-policy/rules.ts';

/** Access of a role to a kind; none by default. */
type Access = 'read' | 'write';

/** Roles in the table of permissions: administrators, data operators, users, viewers. */
type Column = 'admin' | 'dataOperator' | 'user' | 'viewer';
type Row = { readonly [column in Column]?: Access };

const WRITE_BY_USERS: Row = { admin: 'write', user: 'write', viewer: 'read' };
const DATA_OPERATION: Row = { ...WRITE_BY_USERS, dataOperator: 'write' };
const INVENTORY: Row = { admin: 'write', dataOperator: 'read', user: 'read', viewer: 'read' };
const WRITE_BY_ADMINS: Row = { admin: 'write', viewer: 'read' };

const ACCESS: { readonly [resource: string]: Row } = {
  'clusters.globalscheduler.com': INVENTORY,
  'schedulers.globalscheduler.com': WRITE_BY_ADMINS,
  'clusters.cluster.karmada.io': INVENTORY,
  // It shows all nodes, and the usage of all tenants.
  'clusterrooms.cluster.perigee.io': WRITE_BY_ADMINS,
  'propagationpolicies.policy.karmada.io': WRITE_BY_USERS,
  'clusterpropagationpolicies.policy.karmada.io': WRITE_BY_ADMINS,
  'overridepolicies.policy.karmada.io': WRITE_BY_USERS,
  'clusteroverridepolicies.policy.karmada.io': WRITE_BY_ADMINS,
  'clustertaintpolicies.policy.karmada.io': WRITE_BY_ADMINS,
  // It is cluster-scoped: it moves the work of all tenants.
  'scheduletriggers.policy.karmada.io': WRITE_BY_ADMINS,
  'workloadrebalancers.apps.karmada.io': WRITE_BY_ADMINS,
  'resourceinterpretercustomizations.config.karmada.io': WRITE_BY_ADMINS,
  'resourcebindings.work.karmada.io': { admin: 'write', user: 'read', viewer: 'read' },
  'clusterresourcebindings.work.karmada.io': WRITE_BY_ADMINS,
  // It holds whole objects on their way to a cluster, also Secrets.
  'works.work.karmada.io': { admin: 'write' },
  'datasources.datadependency.volcano.sh': { ...INVENTORY, dataOperator: 'write' },
  'datasourceclaims.datadependency.volcano.sh': { ...WRITE_BY_USERS, dataOperator: 'read' },
  'datasets.data.fluid.io': DATA_OPERATION,
  'dataloads.data.fluid.io': DATA_OPERATION,
  'datamigrates.data.fluid.io': DATA_OPERATION,
  'databackups.data.fluid.io': DATA_OPERATION,
  'dataprocesses.data.fluid.io': DATA_OPERATION,
  'alluxioruntimes.data.fluid.io': DATA_OPERATION,
  'jindoruntimes.data.fluid.io': DATA_OPERATION,
  'juicefsruntimes.data.fluid.io': DATA_OPERATION,
  'efcruntimes.data.fluid.io': DATA_OPERATION,
  'vineyardruntimes.data.fluid.io': DATA_OPERATION,
  'thinruntimes.data.fluid.io': DATA_OPERATION,
  'cacheruntimes.data.fluid.io': DATA_OPERATION,
  'thinruntimeprofiles.data.fluid.io': { ...INVENTORY, dataOperator: 'write' },
  'cacheruntimeclasses.data.fluid.io': { ...INVENTORY, dataOperator: 'write' },
  'queues.scheduling.volcano.sh': { admin: 'write', user: 'read', viewer: 'read' },
  'podgroups.scheduling.volcano.sh': WRITE_BY_USERS,
  'jobs.batch.volcano.sh': WRITE_BY_USERS,
};

const kindsWith = (column: Column, access: Access): readonly Kind[] =>
  allKinds.filter(({ plural, group }) => ACCESS[`${plural}.${group}`]?.[column] === access);

const rulesOn = (verbs: string, kinds: readonly Kind[]): readonly PolicyRule[] =>
  [...Map.groupBy(kinds, ({ group }) => group)].map(([group, members]) =>
    on(verbs, group, members.map(({ plural }) => plural).join(' ')),
  );

const rulesOf = (column: Column): readonly PolicyRule[] => [
  ...rulesOn(READ_WRITE, kindsWith(column, 'write')),
  ...rulesOn(READ, kindsWith(column, 'read')),
];

/** Status subresources, which controllers write, and an administrator may repair. */
const STATUS_RULES = [...new Set(allKinds.map(({ group }) => group))].map((group) =>
  on('get patch update', group, '*/status */scale'),
);

/** Kinds of workloads, beside the kinds of Perigee. Secrets are not among them: bind `edit` for them. */
const WORKLOADS: readonly PolicyRule[] = [
  on(
    READ_WRITE,
    'apps',
    'deployments deployments/scale statefulsets statefulsets/scale daemonsets',
  ),
  on(READ_WRITE, 'batch', 'jobs cronjobs'),
  on(READ_WRITE, '', 'configmaps services persistentvolumeclaims'),
  on(READ, '', 'pods pods/log pods/status'),
];

const READ_EVENTS: readonly PolicyRule[] = [on(READ, ['', 'events.k8s.io'], 'events')];

const DATA = 'datadependency.volcano.sh';

/** For a data platform that registers the locations of data alone. */
const REGISTER_DATA: readonly PolicyRule[] = [
  on(READ_WRITE, DATA, 'datasources'),
  on(READ, DATA, 'datasourceclaims'),
  ...rulesOn(
    READ,
    kindsWith('dataOperator', 'read').filter(({ plural }) => plural === 'clusters'),
  ),
];

/** For users who claim data for work, and do not run the work. */
const CLAIM_DATA: readonly PolicyRule[] = [
  on(READ_WRITE, DATA, 'datasourceclaims'),
  on(READ, DATA, 'datasources'),
];

/**
 * For users who query members through the control plane's proxy, under their own identity; the roles of the members
 * apply.
 */
const READ_MEMBERS: readonly PolicyRule[] = [on('get', 'cluster.karmada.io', 'clusters/proxy')];

const role = (name: string, rules: readonly PolicyRule[]): ClusterRoleWritten => ({
  metadata: {
    name,
    labels: { 'app.kubernetes.io/part-of': 'perigee' },
    annotations: { [AUTO_UPDATE]: 'true' },
  },
  rules,
});

/** Cluster-scoped kinds that users read, which no RoleBinding can grant. */
const INVENTORY_KINDS = kindsWith('user', 'read').filter(({ scope }) => scope === 'Cluster');

/** The ready-made roles for those who work with Perigee. */
export const PERIGEE_ROLES: readonly ClusterRoleWritten[] = [
  role('perigee-admin', [...rulesOf('admin'), ...STATUS_RULES, ...READ_EVENTS]),
  role('perigee-data-operator', [...rulesOf('dataOperator'), ...READ_EVENTS]),
  role('perigee-data-registrar', [...REGISTER_DATA, ...READ_EVENTS]),
  role('perigee-data-claimer', [...CLAIM_DATA, ...READ_EVENTS]),
  role('perigee-user', [...rulesOf('user'), ...WORKLOADS, ...READ_EVENTS]),
  role('perigee-inventory-reader', rulesOn(READ, INVENTORY_KINDS)),
  role('perigee-member-reader', READ_MEMBERS),
  role('perigee-viewer', [...rulesOf('viewer'), ...READ_EVENTS]),
];
