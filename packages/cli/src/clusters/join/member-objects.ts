import type { OwnerReference } from '@perigee/api/meta/object-meta';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';

/** Annotation on objects that joining creates in a member: the control plane, by the uid of its `kube-system`. */
export const JOINED_BY = 'perigee.io/joined-by';
/** Label on objects that joining creates, in the member and in the control plane. */
export const JOINED = 'perigee.io/joined-as';

/**
 * The rights of the control plane in a member: those of a deployer, for all kinds, because policies may propagate
 * any. They exclude the verbs that escalate privileges (`escalate`, `bind`, `impersonate`, `approve`, `sign`), so a
 * propagated Role can grant no more than these.
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

/**
 * The names of the objects that joining creates in a member. All are in a namespace of their own, or owned by the
 * role.
 */
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

/** The role owns everything else, so that deleting it garbage-collects all of it. */
export const memberRole = (marks: Marks): JsonObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: accessNames(marks.cluster).role, ...marksOf(marks) },
  rules: MEMBER_RULES,
});

/** The other objects of the access, in the order of creation. */
export const memberObjects = (
  marks: Marks,
  owner: OwnerReference | undefined,
): readonly JsonObject[] => {
  const { namespace, role, account } = accessNames(marks.cluster);
  const owned = {
    ...marksOf(marks),
    ...present({ ownerReferences: owner && [owner as unknown as JsonObject] }),
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

/** A Secret of type `service-account-token`: its token is valid as long as the Secret exists. */
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
