import { InvalidObjectError, invalid } from '@perigee/api/errors';
import { isJsonObject, type JsonObject } from '@perigee/api/json';
import { admit } from '@perigee/api/kind/admit';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Client } from '@perigee/kube/client/client';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import { RegistrationError } from '../errors.ts';
import { type ClusterRef, describeRef } from './cluster-ref.ts';
import { isDescribedAs, refuseLeaving } from './described-as.ts';
import { type GetClusterOptions, getCluster } from './get-cluster.ts';
import { FIELD_MANAGER } from './register-cluster.ts';
import { type IdentifyCluster, refuseSame } from './same-cluster.ts';

export interface UpdateOptions extends GetClusterOptions {
  /** The resource versions of which the record has to have one; any will do unless given. */
  readonly versions?: readonly string[];
  /** Labels that are not named go; unless set, they stay, because others may have put them there. */
  readonly replacesLabels?: boolean;
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean;
  /** Keeps the record from becoming one of a cluster that is registered under another name. */
  readonly identify?: IdentifyCluster;
}

export interface Update {
  /** `unchanged` when the record says all of that already; nothing was written then. */
  readonly outcome: 'updated' | 'unchanged';
  readonly cluster: ClusterRecord;
  /** The paths of fields that the kind does not have; they were left out. */
  readonly unknownFields: readonly string[];
}

/** Without versions it does not matter which record is replaced, so whoever comes between is waited out. */
const ATTEMPTS = 5;

const changed = (ref: ClusterRef, cause?: unknown): RegistrationError =>
  new RegistrationError(
    'Changed',
    `the ${describeRef(ref)} is not as you have seen it: look at it again`,
    { cause },
  );

/** The description under the name and the id of the record, which nothing can change. */
const named = (description: JsonObject, { metadata }: ClusterRecord): JsonObject => {
  const { metadata: given = {} } = description;
  const { name = metadata.name, uid = metadata.uid } = isJsonObject(given) ? given : {};
  if (name !== metadata.name) {
    const why = `must be ${metadata.name}: a cluster cannot be renamed; unregister it, and register it again`;
    throw new InvalidObjectError([invalid('metadata.name', name, why)]);
  }
  if (uid !== metadata.uid) {
    throw new InvalidObjectError([invalid('metadata.uid', uid, `must be ${metadata.uid}`)]);
  }
  return { ...description, metadata: { ...(isJsonObject(given) ? given : {}), name } };
};

/** The record with what is wanted of it, and with everything that is not the administrator's to say. */
const replaced = (
  present: ClusterRecord,
  wanted: ClusterRecord,
  replacesLabels: boolean,
): ClusterRecord => {
  const { labels, annotations } = wanted.metadata;
  const keptLabels = replacesLabels && labels !== undefined ? {} : present.metadata.labels;
  return {
    ...present,
    metadata: {
      ...present.metadata,
      ...(labels === undefined ? {} : { labels: { ...keptLabels, ...labels } }),
      ...(annotations === undefined
        ? {}
        : { annotations: { ...present.metadata.annotations, ...annotations } }),
    },
    spec: wanted.spec,
  };
};

/** Whether another cluster may be meant than before. */
const leadsElsewhere = ({ spec: before }: ClusterRecord, { spec: now }: ClusterRecord): boolean =>
  before.apiEndpoint !== now.apiEndpoint ||
  before.secretRef?.namespace !== now.secretRef?.namespace ||
  before.secretRef?.name !== now.secretRef?.name;

const isSame = (present: ClusterRecord, wanted: ClusterRecord, next: ClusterRecord): boolean =>
  isDescribedAs(present, wanted) &&
  Object.keys(present.metadata.labels ?? {}).length ===
    Object.keys(next.metadata.labels ?? {}).length;

/**
 * Changes what the inventory says of a cluster. The description replaces the one that is there, so what it leaves
 * out goes; its status, its finalizers and annotations of others stay. Costs two requests.
 * @param description The whole object, in any spelling that the kind knows. Its name may be left out.
 * @throws `InvalidObjectError` for what cannot be this cluster, before anything is written; `RegistrationError`
 *   `NotRegistered`, `SameCluster`, `Leaving`, `Changed` or `BadReference`; `ApiError` for what the API server refuses.
 */
export const updateCluster = async (
  client: Pick<Client, 'get' | 'list' | 'update'>,
  ref: ClusterRef,
  description: object,
  options: UpdateOptions = {},
): Promise<Update> => {
  const { versions, replacesLabels = false, dryRun = false, identify } = options;
  const { signal, knownIds } = options;
  const call = signal ? { signal } : {};
  for (let attempt = 1; ; attempt++) {
    const present = await getCluster(client, ref, knownIds ? { ...call, knownIds } : call);
    const { name, resourceVersion } = present.metadata;
    const sent = named(description as JsonObject, present);
    const { object: wanted, unknownFields } = admit(ClusterRecord, sent, { old: present });
    if (versions !== undefined && !versions.includes(resourceVersion)) throw changed(ref);
    refuseLeaving(present);
    const next = replaced(present, wanted, replacesLabels);
    try {
      // Also when nothing changes: who may not change the cluster is to learn that, and the server writes nothing.
      const write = (isTrial: boolean): Promise<ClusterRecord> =>
        client.update(ClusterRecord, next, {
          ...call,
          dryRun: isTrial,
          fieldManager: FIELD_MANAGER,
        });
      if (identify !== undefined && leadsElsewhere(present, next)) {
        await write(true);
        await refuseSame(client, next, identify, call);
      }
      const cluster = await write(dryRun);
      const outcome = isSame(present, wanted, next) ? 'unchanged' : 'updated';
      return { outcome, cluster, unknownFields };
    } catch (error) {
      if (isNotFound(error)) {
        const why = `the cluster ${name} is gone already`;
        throw new RegistrationError('NotRegistered', why, { cause: error });
      }
      if (!isConflict(error)) throw error;
      if (versions !== undefined || attempt === ATTEMPTS) throw changed(ref, error);
    }
  }
};
