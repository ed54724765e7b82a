import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { ClusterRoleWritten } from '@perigee/kubernetes/rbac/cluster-role';
import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import type { RoleBindingWritten } from '@perigee/kubernetes/rbac/role-binding';
import type { JsonObject } from '@perigee/schema/json';

export interface EscalationCase {
  readonly text: string;
  readonly user: UserInfo;
  readonly plural: string;
  readonly object: JsonObject;
  /** The object that is there already, and is written over. */
  readonly old?: JsonObject;
  /** The message of the refusal; the write is allowed when there is none. */
  readonly refusal?: string;
}

const WRITE_POLICY: PolicyRule = {
  verbs: ['create', 'update', 'patch'],
  apiGroups: [RBAC_GROUP],
  resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
};
const READ_PODS: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const READ_PATHS: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/reports/*'] };
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Writes of policy by people who may write policy, with names that begin so. */
export const escalationTable = (prefix: string) => {
  const own = (name: string): string => `${prefix}${name}`;
  const namespace = own('a');
  const reference = (kind: string, name: string) => ({
    apiGroup: RBAC_GROUP,
    kind,
    name: own(name),
  });
  const binding = (name: string, user: string, role: string): RoleBindingWritten => ({
    metadata: { name: own(name) },
    roleRef: reference('ClusterRole', role),
    subjects: [{ kind: 'User', apiGroup: RBAC_GROUP, name: own(user) }],
  });
  const clusterRole = (name: string, ...rules: readonly PolicyRule[]): ClusterRoleWritten => ({
    metadata: { name: own(name) },
    rules,
  });

  const roles = [
    clusterRole('plain', WRITE_POLICY, READ_PODS, READ_PATHS),
    clusterRole('escalates', WRITE_POLICY, {
      verbs: ['escalate'],
      apiGroups: [RBAC_GROUP],
      resources: ['roles', 'clusterroles'],
    }),
    clusterRole('escalates-one', WRITE_POLICY, {
      verbs: ['escalate'],
      apiGroups: [RBAC_GROUP],
      resources: ['clusterroles'],
      resourceNames: [own('reader')],
    }),
    clusterRole('binds', WRITE_POLICY, {
      verbs: ['bind'],
      apiGroups: [RBAC_GROUP],
      resources: ['clusterroles'],
      resourceNames: [own('nodes')],
    }),
    clusterRole('rules-all', ...EVERYTHING),
    clusterRole('nodes', { verbs: ['get'], apiGroups: [''], resources: ['nodes'] }),
    clusterRole('reader', READ_PODS),
    {
      ...clusterRole('gatherer'),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: own('y') } }] },
    },
  ];
  const bindings = [
    binding('plain', 'plain', 'plain'),
    binding('plain-missing', 'lost', 'no-such'),
    binding('lost', 'lost', 'plain'),
    binding('escalates', 'escalates', 'escalates'),
    binding('escalates-one', 'escalates-one', 'escalates-one'),
    binding('binds', 'binds', 'binds'),
    binding('rules-all', 'rules-all', 'rules-all'),
  ];

  const user = (name: string): UserInfo => ({ name: own(name), groups: [own('g'), own('h')] });
  const newRole = (...rules: readonly PolicyRule[]) =>
    ({ metadata: { name: 'new', namespace }, rules }) as unknown as JsonObject;
  const newClusterRole = (...rules: readonly PolicyRule[]) =>
    ({ metadata: { name: own('new') }, rules }) as unknown as JsonObject;
  const newBinding = (role: string, kind = 'ClusterRole') =>
    ({
      metadata: { name: 'new', namespace },
      roleRef: reference(kind, role),
      subjects: [],
    }) as unknown as JsonObject;
  const newClusterBinding = (role: string) =>
    ({
      metadata: { name: own('new') },
      roleRef: reference('ClusterRole', role),
      subjects: [],
    }) as unknown as JsonObject;
  const stored = (name: string) => {
    const found = roles.find(({ metadata }) => metadata.name === own(name));
    return found as unknown as JsonObject;
  };

  const refused = (resource: string, who: string, ...lines: readonly string[]): string =>
    [
      `${resource} is forbidden: user "${own(who)}" (groups=["${own('g')}" "${own('h')}" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:`,
      ...lines,
    ].join('\n');
  const ROLE = `roles.${RBAC_GROUP} "new"`;
  const CLUSTER_ROLE = `clusterroles.${RBAC_GROUP} "${own('new')}"`;
  const NEEDS_ADMIN = 'must have cluster-admin privileges to use the aggregationRule';

  const cases: readonly EscalationCase[] = [
    {
      text: 'gives what they hold',
      user: user('plain'),
      plural: 'roles',
      object: newRole(READ_PODS),
    },
    {
      text: 'gives a part of it',
      user: user('plain'),
      plural: 'clusterroles',
      object: newClusterRole(
        { ...READ_PODS, verbs: ['get'], resourceNames: ['x'] },
        { verbs: ['get'], nonResourceURLs: ['/reports/today', '/reports/a*'] },
      ),
    },
    {
      text: 'gives nothing',
      user: user('plain'),
      plural: 'clusterroles',
      object: newClusterRole(),
    },
    {
      text: 'gives more verbs, parts and groups',
      user: user('plain'),
      plural: 'roles',
      object: newRole(
        {
          verbs: ['get', 'delete', 'watch'],
          apiGroups: ['', 'apps'],
          resources: ['pods', 'pods/log'],
        },
        { verbs: ['*'], apiGroups: [''], resources: ['pods'], resourceNames: ['x', 'y'] },
      ),
      refusal: refused(
        ROLE,
        'plain',
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["x"], Verbs:["*"]}',
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["y"], Verbs:["*"]}',
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}',
        '{APIGroups:[""], Resources:["pods/log"], Verbs:["get" "delete" "watch"]}',
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "delete" "watch"]}',
        '{APIGroups:["apps"], Resources:["pods/log"], Verbs:["get" "delete" "watch"]}',
      ),
    },
    {
      text: 'gives more paths',
      user: user('plain'),
      plural: 'clusterroles',
      object: newClusterRole({
        verbs: ['get', 'post'],
        nonResourceURLs: ['/reports/x', '/reports'],
      }),
      refusal: refused(
        CLUSTER_ROLE,
        'plain',
        '{NonResourceURLs:["/reports"], Verbs:["get"]}',
        '{NonResourceURLs:["/reports"], Verbs:["post"]}',
        '{NonResourceURLs:["/reports/x"], Verbs:["post"]}',
      ),
    },
    {
      text: 'holds a role that does not exist',
      user: user('lost'),
      plural: 'clusterroles',
      object: newClusterRole({ verbs: ['get'], apiGroups: [''], resources: ['nodes'] }),
      refusal: `${refused(CLUSTER_ROLE, 'lost', '{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}')}; resolution errors: [clusterroles.${RBAC_GROUP} "${own('no-such')}" not found]`,
    },
    {
      text: 'may escalate',
      user: user('escalates'),
      plural: 'roles',
      object: newRole({ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }),
    },
    {
      text: 'may escalate one role, which an update names',
      user: user('escalates-one'),
      plural: 'clusterroles',
      object: { ...stored('reader'), rules: EVERYTHING as never },
      old: stored('reader'),
    },
    {
      text: 'may escalate one role, which a creation does not name',
      user: user('escalates-one'),
      plural: 'clusterroles',
      object: newClusterRole(READ_PODS),
      refusal: refused(
        CLUSTER_ROLE,
        'escalates-one',
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
      ),
    },
    {
      text: 'gathers without holding everything',
      user: user('plain'),
      plural: 'clusterroles',
      object: {
        ...newClusterRole(),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: 'y' } }] },
      },
      refusal: `${CLUSTER_ROLE} is forbidden: ${NEEDS_ADMIN}`,
    },
    {
      text: 'ends the gathering without holding everything',
      user: user('plain'),
      plural: 'clusterroles',
      object: { metadata: { name: own('gatherer') } },
      old: stored('gatherer'),
      refusal: `clusterroles.${RBAC_GROUP} "${own('gatherer')}" is forbidden: ${NEEDS_ADMIN}`,
    },
    {
      text: 'gathers and holds everything',
      user: user('rules-all'),
      plural: 'clusterroles',
      object: {
        ...newClusterRole(),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: 'y' } }] },
      },
    },
    {
      text: 'binds what they hold',
      user: user('plain'),
      plural: 'rolebindings',
      object: newBinding('reader'),
    },
    {
      text: 'binds what they do not hold',
      user: user('plain'),
      plural: 'rolebindings',
      object: newBinding('nodes'),
      refusal: refused(
        `rolebindings.${RBAC_GROUP} "new"`,
        'plain',
        '{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}',
      ),
    },
    {
      text: 'binds what they do not hold for the whole cluster',
      user: user('plain'),
      plural: 'clusterrolebindings',
      object: newClusterBinding('nodes'),
      refusal: refused(
        `clusterrolebindings.${RBAC_GROUP} "${own('new')}"`,
        'plain',
        '{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}',
      ),
    },
    {
      text: 'binds what they do not hold, and holds a role that does not exist',
      user: user('lost'),
      plural: 'rolebindings',
      object: newBinding('nodes'),
      refusal: `${refused(`rolebindings.${RBAC_GROUP} "new"`, 'lost', '{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}')}; resolution errors: [rolebindings.${RBAC_GROUP} "${own('no-such')}" not found]`,
    },
    {
      text: 'may bind it',
      user: user('binds'),
      plural: 'clusterrolebindings',
      object: newClusterBinding('nodes'),
    },
    {
      text: 'may bind something else',
      user: user('binds'),
      plural: 'rolebindings',
      object: newBinding('reader'),
      refusal: refused(
        `rolebindings.${RBAC_GROUP} "new"`,
        'binds',
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
      ),
    },
    {
      text: 'binds a role that is not there',
      user: user('plain'),
      plural: 'rolebindings',
      object: newBinding('no-such', 'Role'),
      refusal: `rolebindings.${RBAC_GROUP} "${own('no-such')}" not found`,
    },
    {
      text: 'binds a cluster role that is not there',
      user: user('plain'),
      plural: 'clusterrolebindings',
      object: newClusterBinding('no-such'),
      refusal: `clusterrolebindings.${RBAC_GROUP} "${own('no-such')}" not found`,
    },
  ];
  return { namespace, roles, bindings, cases };
};
