import type { JsonObject } from '@perigee/api/json';
import type { OwnerReference } from '@perigee/api/meta/object-meta';

/** On what joining makes in a member: the control plane that it is for, by the uid of its `kube-system`. */
export const JOINED_BY = 'perigee.io/joined-by';
/** On what joining makes, on either side. */
export const JOINED = 'perigee.io/joined-as';

/**
 * What the control plane may do in a member: what people who deploy there may, with every kind, because
 * policies may send any. Not among it are the verbs by which somebody gets more rights than he has
 * (`escalate`, `bind`, `impersonate`, `approve`, `sign`): a Role that is sent there can grant no more than this.
 */
const MEMBER_RULES = [
  {
    apiGroups: ['*'],
    resources: ['*'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  },
  {
    nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/readyz', '/version'],
    verbs: ['get'],
  },
];

/** The names of what is made in a member. Everything is in a namespace of its own, or belongs to the role. */
export const accessNames = (cluster: string) => ({
  namespace: `perigee-${cluster}`,
  role: `perigee:${cluster}`,
  account: 'perigee',
  secret: 'perigee-token',
});

interface Marks {
  readonly cluster: string;
  readonly joinedBy: string;
}

const marksOf = ({ cluster, joinedBy }: Marks) => ({
  labels: { 'app.kubernetes.io/part-of': 'perigee', [JOINED]: cluster },
  annotations: { [JOINED_BY]: joinedBy },
});

/** The role, which owns everything else: whoever deletes it has deleted all of it. */
export const memberRole = (marks: Marks): JsonObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: accessNames(marks.cluster).role, ...marksOf(marks) },
  rules: MEMBER_RULES,
});

/** What else is made in a member, in the order in which it is made. */
export const memberObjects = (
  marks: Marks,
  owner: OwnerReference | undefined,
): readonly JsonObject[] => {
  const { namespace, role, account } = accessNames(marks.cluster);
  const owned = {
    ...marksOf(marks),
    ...(owner === undefined ? {} : { ownerReferences: [owner as unknown as JsonObject] }),
  };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, ...owned } },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace, name: account, ...marksOf(marks) },
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: role, ...owned },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', namespace, name: account }],
    },
  ];
};

/** A Secret into which the server puts a token of a service account, which lasts as long as the Secret. */
export const tokenSecret = (
  ref: { readonly namespace: string; readonly name: string },
  account: string,
  labels: JsonObject,
): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...ref, labels, annotations: { 'kubernetes.io/service-account.name': account } },
  type: 'kubernetes.io/service-account-token',
});
