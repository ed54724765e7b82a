import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { refuseLeaving } from '@perigee/registration/operations/described-as';
import { registerCluster } from '@perigee/registration/operations/register-cluster';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { CREDENTIALS_NAMESPACE } from './credentials-secret.ts';
import { FIELD_MANAGER } from './issued-token.ts';
import { CLUSTER_UID } from './same-cluster.ts';

/** The wanted record of a joined cluster. */
export interface RecordRequest {
  readonly name: string;
  readonly uid: string;
  readonly spec: Partial<ClusterRecord['spec']>;
}

const conflictError = (why: string): CommandError => new CommandError(EXIT.conflict, why);

/** The record that has the name, or undefined. Throws if it belongs to another cluster. */
export const presentRecord = async (
  plane: Client,
  { name, uid }: Pick<RecordRequest, 'name' | 'uid'>,
): Promise<ClusterRecord | undefined> => {
  const present = await getOrUndefined(plane, ClusterRecord, { name });
  if (present === undefined) return undefined;
  refuseLeaving(present);
  const { metadata, spec, status } = present;
  if (spec.type !== 'kubernetes') {
    throw conflictError(
      `the name ${name} is taken by a cluster of the type ${spec.type}: choose another`,
    );
  }
  const { clusterID } = (status ?? {}) as { readonly clusterID?: string };
  const recordUid = clusterID || metadata.annotations?.[CLUSTER_UID] || uid;
  if (recordUid !== uid) {
    throw conflictError(
      `the name ${name} is taken by another cluster (${recordUid}): choose another name, or unjoin that one first`,
    );
  }
  const { secretRef } = spec;
  if (secretRef && (secretRef.namespace !== CREDENTIALS_NAMESPACE || secretRef.name !== name)) {
    throw conflictError(
      `${name} has credentials already, in the Secret ${secretRef.namespace}/${secretRef.name}: it needs no join`,
    );
  }
  return present;
};

/** Creates the record, or adds the credentials to an existing one, keeping what users wrote. */
export const writeRecord = async (
  plane: Client,
  { name, uid, spec }: RecordRequest,
  dryRun: boolean,
): Promise<ClusterRecord> => {
  const present = await presentRecord(plane, { name, uid });
  const secretRef = { namespace: CREDENTIALS_NAMESPACE, name };
  const annotations = { [CLUSTER_UID]: uid };
  if (present === undefined) {
    const record = {
      metadata: { name, annotations },
      spec: { type: 'kubernetes', ...spec, secretRef },
    };
    return (await registerCluster(plane, record, { dryRun })).cluster;
  }
  const isSame = present.spec.secretRef && present.metadata.annotations?.[CLUSTER_UID] === uid;
  if (isSame) return present;
  const { resourceVersion } = present.metadata;
  const body = { metadata: { resourceVersion, annotations }, spec: { secretRef } };
  const options = { fieldManager: FIELD_MANAGER, dryRun };
  return plane.patch(ClusterRecord, { name }, { type: 'merge', body }, options);
};
