import type { Attributes, UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { ClusterRoleWritten } from '@perigee/kubernetes/rbac/cluster-role';
import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import type { RoleBindingWritten, Subject } from '@perigee/kubernetes/rbac/role-binding';

/** Cluster roles, and with `name@namespace` roles. */
const ROLES: { readonly [name: string]: readonly PolicyRule[] } = {
  'read-pods': [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }],
  'read-logs': [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }],
  scale: [{ verbs: ['update', 'patch'], apiGroups: ['apps'], resources: ['*/scale'] }],
  'any-status': [{ verbs: ['get'], apiGroups: ['*'], resources: ['*/status'] }],
  everything: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  'own-pods': [{ verbs: ['*'], apiGroups: [''], resources: ['pods'] }],
  'read-apps': [{ verbs: ['get'], apiGroups: ['apps'], resources: ['*'] }],
  named: [
    {
      verbs: ['get', 'list', 'update', 'delete', 'create'],
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['one', 'two'],
    },
  ],
  several: [
    { verbs: ['get', 'create'], apiGroups: ['apps', 'batch'], resources: ['deployments', 'jobs'] },
    { verbs: ['deletecollection'], apiGroups: [''], resources: ['events'] },
  ],
  paths: [
    { verbs: ['get'], nonResourceURLs: ['/healthz', '/reports/*', '/logs*'] },
    { verbs: ['head'], nonResourceURLs: ['*'] },
  ],
  empty: [],
  'read-namespaces': [{ verbs: ['get'], apiGroups: [''], resources: ['namespaces'] }],
  'read-secrets@a': [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }],
  'read-secrets@b': [{ verbs: ['list'], apiGroups: [''], resources: ['secrets'] }],
};

/** `role → subjects`, in a namespace behind the name of the binding. */
const BINDINGS: { readonly [name: string]: readonly [role: string, ...subjects: string[]] } = {
  'jane-pods': ['read-pods', 'User jane'],
  'devs-logs': ['read-logs', 'Group devs', 'User jane'],
  'tim-pods@a': ['read-pods', 'User tim'],
  'builder-scale@a': ['scale', 'ServiceAccount b/builder'],
  'worker-secrets@a': ['Role read-secrets', 'ServiceAccount /worker'],
  'worker-secrets@b': ['Role read-secrets', 'ServiceAccount a/worker'],
  'status-all': ['any-status', 'Group watchers'],
  'root-all': ['everything', 'Group roots'],
  'ned-all@a': ['everything', 'User ned'],
  'olga-pods@b': ['own-pods', 'User olga', 'Group owners'],
  'amy-apps': ['read-apps', 'User amy'],
  'cara-named': ['named', 'User cara'],
  'carl-named@a': ['named', 'User carl'],
  'sam-several': ['several', 'User sam'],
  'pat-paths': ['paths', 'User pat'],
  'tim-paths@a': ['paths', 'User tim'],
  'eve-empty': ['empty', 'User eve'],
  'gus-gone': ['no-such', 'User gus'],
  'gus-gone@a': ['Role no-such', 'User gus'],
  'nora-namespaces@a': ['read-namespaces', 'User nora'],
};

/** A case: allowed or not, the user with groups, the verb, and `resource.group/part:name@namespace` or a path. */
const CASES = `
yes jane                get     pods@a
yes jane                list    pods
yes jane                watch   pods:x@b
no  jane                create  pods@a
no  jane                get     pods.apps@a
no  jane                get     pods/status:x@a
yes jane                get     pods/log:x@a
no  jane                list    pods/log:x@a
no  jane                get     secrets@a
no  JANE                get     pods@a
yes joe+devs            get     pods/log:x@b
yes joe+others,devs     get     pods/log:x
no  joe                 get     pods/log:x@b
no  devs                get     pods/log:x@b
no  joe+jane            get     pods@a
yes tim                 get     pods@a
yes tim                 watch   pods:x@a
no  tim                 get     pods@b
no  tim                 list    pods
no  tim                 get     /healthz
yes sa:b/builder        update  deployments.apps/scale:x@a
yes sa:b/builder        patch   statefulsets.apps/scale:x@a
no  sa:b/builder        get     deployments.apps/scale:x@a
no  sa:b/builder        update  deployments.apps/status:x@a
no  sa:b/builder        update  deployments.apps:x@a
no  sa:b/builder        update  replicationcontrollers/scale:x@a
no  sa:b/builder        update  deployments.apps/scale:x@b
no  sa:a/builder        update  deployments.apps/scale:x@a
no  builder             update  deployments.apps/scale:x@a
yes sa:a/worker         get     secrets:x@a
no  sa:a/worker         list    secrets@a
yes sa:a/worker         list    secrets@b
no  sa:a/worker         get     secrets:x@b
no  sa:b/worker         get     secrets:x@a
no  sa:b/worker         list    secrets@b
yes x+watchers          get     pods/status:x@a
yes x+watchers          get     jobs.batch/status:x
yes x+watchers          get     things.example.com/status:x@b
no  x+watchers          get     pods:x@a
no  x+watchers          update  pods/status:x@a
yes x+roots             delete  nodes:x
yes x+roots             anything things.example.com/part:x@a
yes x+roots             use     things
no  x+roots             get     /healthz
yes ned                 delete  secrets:x@a
yes ned                 get     pods/exec:x@a
no  ned                 get     secrets:x@b
no  ned                 get     nodes:x
no  ned                 list    secrets
yes olga                evict   pods:x@b
yes z+owners            create  pods@b
no  olga                get     pods/log:x@b
no  olga                create  pods@a
yes amy                 get     deployments.apps:x@a
yes amy                 get     deployments.apps/scale:x@a
no  amy                 get     deployments.extensions:x@a
no  amy                 list    deployments.apps@a
yes cara                get     configmaps:one@a
yes cara                update  configmaps:two@b
yes cara                list    configmaps:one@a
no  cara                get     configmaps:three@a
no  cara                list    configmaps@a
no  cara                create  configmaps@a
yes carl                delete  configmaps:one@a
no  carl                delete  configmaps:one@b
no  carl                deletecollection configmaps@a
yes sam                 create  jobs.batch@a
yes sam                 get     deployments.batch@a
yes sam                 deletecollection events@a
no  sam                 delete  events:x@a
no  sam                 get     jobs@a
yes pat                 get     /healthz
no  pat                 get     /healthz/
no  pat                 get     /healthz/etcd
yes pat                 get     /reports/today/all
yes pat                 get     /reports/
no  pat                 get     /reports
yes pat                 get     /logs
yes pat                 get     /logs-of-today
yes pat                 head    /anything/at/all
no  pat                 post    /healthz
no  pat                 get     pods@a
no  eve                 get     pods@a
no  gus                 get     pods@a
no  gus                 get     pods
no  gus                 get     /healthz
yes nora                get     namespaces:a@a
no  nora                get     namespaces:b@b
no  nora                get     namespaces:a
yes x+system:masters    delete  nodes:x
yes x+system:masters    get     /anything
yes x+system:authenticated   get /api/v1
yes x+system:authenticated   get /openapi/v3
yes x+system:unauthenticated get /version
no  x+system:unauthenticated get /api
no  x+system:unauthenticated get /healthz/etcd
yes x+system:authenticated   create selfsubjectaccessreviews.authorization.k8s.io
no  x+system:authenticated   create subjectaccessreviews.authorization.k8s.io
yes x+system:serviceaccounts get /openid/v1/jwks
`;

export interface AccessCase {
  readonly text: string;
  readonly allowed: boolean;
  readonly attributes: Attributes;
}

/** The whole table, with names that begin so: a shared server must not be disturbed. */
export const accessTable = (prefix: string) => {
  const own = (name: string): string => (name.startsWith('system:') ? name : `${prefix}${name}`);
  const place = (text: string) => {
    const [name = '', namespace] = text.split('@');
    return { name: own(name), ...(namespace === undefined ? {} : { namespace: own(namespace) }) };
  };

  const roles: readonly ClusterRoleWritten[] = Object.entries(ROLES).map(([name, rules]) => ({
    metadata: place(name),
    rules,
  }));

  const subject = (text: string): Subject => {
    const [kind = '', called = ''] = text.split(' ');
    if (kind !== 'ServiceAccount') return { kind, apiGroup: RBAC_GROUP, name: own(called) };
    const [namespace = '', name = ''] = called.split('/');
    return { kind, name: own(name), ...(namespace === '' ? {} : { namespace: own(namespace) }) };
  };

  const bindings: readonly RoleBindingWritten[] = Object.entries(BINDINGS).map(
    ([name, [reference, ...subjects]]) => {
      const [kind, called] = reference.startsWith('Role ')
        ? ['Role', reference.slice(5)]
        : ['ClusterRole', reference];
      return {
        metadata: place(name),
        roleRef: { apiGroup: RBAC_GROUP, kind, name: own(called) },
        subjects: subjects.map(subject),
      };
    },
  );

  const userOf = (text: string): UserInfo => {
    const [name = '', groups] = text.split('+');
    const account = /^sa:(.*)\/(.*)$/.exec(name);
    return {
      name: account
        ? `system:serviceaccount:${own(account[1] ?? '')}:${own(account[2] ?? '')}`
        : own(name),
      groups: groups === undefined ? [] : groups.split(',').map(own),
    };
  };

  const attributesOf = (who: string, verb: string, what: string): Attributes => {
    const user = userOf(who);
    if (what.startsWith('/')) return { user, verb, path: what };
    const [, resource = '', apiGroup = '', subresource = '', name = '', namespace = ''] =
      /^([^./:@]+)(?:\.([^/:@]+))?(?:\/([^:@]+))?(?::([^@]+))?(?:@(.+))?$/.exec(what) ?? [];
    const isNamespace = resource === 'namespaces';
    return {
      user,
      verb,
      apiGroup,
      apiVersion: 'v1',
      resource,
      subresource,
      name: isNamespace ? own(name) : name,
      namespace: namespace === '' ? '' : own(namespace),
    };
  };

  const cases: readonly AccessCase[] = CASES.trim()
    .split('\n')
    .map((line) => {
      const [expected = '', who = '', verb = '', what = ''] = line.split(/ +/);
      const text = `${who} ${verb} ${what}`;
      return { text, allowed: expected === 'yes', attributes: attributesOf(who, verb, what) };
    });

  return { namespaces: [own('a'), own('b')], roles, bindings, cases };
};
