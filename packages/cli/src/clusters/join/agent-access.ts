import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { refOf } from '@perigee/kube/client/ref-of';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  ServiceAccount,
} from './access-kinds.ts';
import { CREDENTIALS_NAMESPACE, ensureNamespace } from './credentials-secret.ts';
import { FIELD_MANAGER, type IssuedToken, issuedToken } from './issued-token.ts';
import { JOINED } from './member-objects.ts';

const RBAC = 'rbac.authorization.k8s.io';
const KINDS: { readonly [kind: string]: ResourceKind } = {
  ServiceAccount,
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
};

interface Rights {
  readonly namespace?: string;
  readonly name: string;
  readonly rules: readonly JsonObject[];
}

/** The RBAC rules of an agent in the control plane: objects of its own cluster only. */
export const agentRights = (cluster: string, account: string): readonly Rights[] => [
  {
    name: `perigee-agent:${cluster}`,
    rules: [
      {
        apiGroups: ['cluster.karmada.io'],
        resources: ['clusters'],
        resourceNames: [cluster],
        verbs: ['get', 'list', 'watch'],
      },
      {
        apiGroups: ['cluster.karmada.io'],
        resources: ['clusters/status'],
        resourceNames: [cluster],
        verbs: ['update', 'patch'],
      },
      {
        apiGroups: [''],
        resources: ['namespaces'],
        resourceNames: [CREDENTIALS_NAMESPACE],
        verbs: ['get'],
      },
      // Events are created beside the templates, in any namespace.
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ],
  },
  {
    namespace: executionNamespace(cluster),
    name: account,
    rules: [
      {
        apiGroups: ['work.karmada.io'],
        resources: ['works'],
        // `patch` is for finalizers.
        verbs: ['list', 'watch', 'patch'],
      },
      { apiGroups: ['work.karmada.io'], resources: ['works/status'], verbs: ['patch'] },
      {
        apiGroups: ['cluster.perigee.io'],
        resources: ['clusterrooms'],
        verbs: ['create', 'patch'],
      },
    ],
  },
  {
    namespace: CREDENTIALS_NAMESPACE,
    name: account,
    rules: [
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: [cluster],
        verbs: ['patch'],
      },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    ],
  },
];

const apply = (client: Client, body: JsonObject): Promise<unknown> => {
  const { kind, metadata } = body as unknown as {
    readonly kind: string;
    readonly metadata: ObjectRef;
  };
  const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER, force: true } as const;
  return client.patch(KINDS[kind] as ResourceKind, refOf({ metadata }), patch);
};

/** The execution target of a cluster in pull mode. */
const ensureTarget = async (plane: Client, name: string, spec: object): Promise<MemberCluster> => {
  const present = await getOrUndefined(plane, MemberCluster, { name });
  if (present?.spec.syncMode === 'Pull') return present;
  if (present !== undefined) {
    throw new CommandError(
      EXIT.conflict,
      `the control plane pushes to ${name} (spec.syncMode Push): choose another name, or unjoin it first`,
    );
  }
  const target = { metadata: { name }, spec: { syncMode: 'Pull', ...spec } } as const;
  return plane.create(MemberCluster, target, { fieldManager: FIELD_MANAGER });
};

/**
 * Creates everything that an agent needs in the control plane. The Cluster owns it, so deleting the Cluster deletes
 * it.
 */
export const makeAgentAccess = async (
  plane: Client,
  cluster: string,
  spec: object,
): Promise<IssuedToken> => {
  const target = await ensureTarget(plane, cluster, spec);
  const account = `perigee-agent-${cluster}`;
  await ensureNamespace(plane, CREDENTIALS_NAMESPACE);
  await ensureNamespace(plane, executionNamespace(cluster));
  const owner = ownerReferenceTo({
    ...target,
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
  });
  const labels = { 'app.kubernetes.io/part-of': 'perigee', [JOINED]: cluster };
  const owned = { labels, ownerReferences: [owner as unknown as JsonObject] };
  const ref = { namespace: CREDENTIALS_NAMESPACE, name: account };
  await apply(plane, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...ref, ...owned } });
  for (const { namespace, name, rules } of agentRights(cluster, account)) {
    const metadata = { ...present({ namespace }), name, ...owned };
    const role = namespace === undefined ? 'ClusterRole' : 'Role';
    await apply(plane, { apiVersion: `${RBAC}/v1`, kind: role, metadata, rules });
    await apply(plane, {
      apiVersion: `${RBAC}/v1`,
      kind: `${role}Binding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind: role, name },
      subjects: [{ kind: 'ServiceAccount', ...ref }],
    });
  }
  return issuedToken(plane, ref, account, labels);
};
