import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { refOf } from '@perigee/kube/client/ref-of';
import { ApiError, ignoreNotFound } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import type { JsonObject } from '@perigee/schema/json';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { ClusterRole, ClusterRoleBinding, type Loose, ServiceAccount } from './access-kinds.ts';
import { FIELD_MANAGER, type IssuedToken, issuedToken } from './issued-token.ts';
import { accessNames, JOINED, JOINED_BY, memberObjects, memberRole } from './member-objects.ts';

export interface Joining {
  readonly cluster: string;
  /** Identifies the control plane: the uid of its `kube-system`. */
  readonly joinedBy: string;
}

const KINDS: { readonly [kind: string]: ResourceKind } = {
  Namespace,
  ServiceAccount,
  ClusterRole,
  ClusterRoleBinding,
};

const apply = (client: Client, body: JsonObject, dryRun = false) => {
  const { kind, metadata } = body as unknown as {
    readonly kind: string;
    readonly metadata: ObjectRef;
  };
  const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER, force: true } as const;
  return client.patch(KINDS[kind] as ResourceKind, refOf({ metadata }), patch, { dryRun });
};

/** Refuses to touch objects of these names that another control plane, or somebody else, created. */
const refuseOthers = async (member: Client, { cluster, joinedBy }: Joining): Promise<void> => {
  const { namespace, role } = accessNames(cluster);
  for (const [kind, name] of [
    [ClusterRole, role],
    [Namespace, namespace],
  ] as const) {
    const present = await getOrUndefined(member, kind, { name: name });
    const by = present?.metadata.annotations?.[JOINED_BY];
    if (present === undefined || by === joinedBy) continue;
    throw new CommandError(
      EXIT.conflict,
      by === undefined
        ? `the cluster has a ${kind.kind} ${name} that no join has made: choose another name, or delete it there`
        : `the cluster is joined as ${cluster} to another control plane (${by}): choose another name, or unjoin it there first`,
    );
  }
};

/** Checks by a dry run that the access can be created. */
export const tryAccess = async (member: Client, joining: Joining): Promise<void> => {
  await refuseOthers(member, joining);
  await apply(member, memberRole(joining), true);
};

/** Creates the access for the control plane in a member. Idempotent. */
export const makeAccess = async (member: Client, joining: Joining): Promise<IssuedToken> => {
  await refuseOthers(member, joining);
  const role = (await apply(member, memberRole(joining))) as Loose;
  const owner = ownerReferenceTo({
    ...role,
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
  });
  for (const body of memberObjects(joining, owner)) await apply(member, body);
  const { namespace, account, secret } = accessNames(joining.cluster);
  const labels = { 'app.kubernetes.io/part-of': 'perigee', [JOINED]: joining.cluster };
  return issuedToken(member, { namespace, name: secret }, account, labels);
};

const remove = async (member: Client, kind: ResourceKind, name: string): Promise<void> => {
  await member.delete(kind, { name }, { propagationPolicy: 'Background' }).catch(ignoreNotFound);
};

/**
 * Removes the access. The role owns everything else, so deleting it is enough, and works with the very credentials
 * that it revokes. The other requests are for agents, whose manifest was applied by hand.
 */
export const removeAccess = async (member: Client, cluster: string): Promise<void> => {
  const { role, namespace } = accessNames(cluster);
  await remove(member, ClusterRole, role);
  try {
    await remove(member, ClusterRoleBinding, role);
    await remove(member, Namespace, namespace);
  } catch (error) {
    if (!(error instanceof ApiError) || ![401, 403].includes(error.code)) throw error;
  }
};
