import { admit } from '@perigee/api/kind/admit';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Client } from '@perigee/kube/client/client';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import { InvalidObjectError, invalid } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { RegistrationError } from '../errors.ts';
import { type ClusterRef, describeRef } from './cluster-ref.ts';
import { isDescribedAs, refuseLeaving } from './described-as.ts';
import { type GetClusterOptions, getCluster } from './get-cluster.ts';
import { FIELD_MANAGER } from './register-cluster.ts';
import { type IdentifyCluster, refuseSame } from './same-cluster.ts';

export interface UpdateOptions extends GetClusterOptions {
  /** Preconditions: the record must have one of these resource versions. Any version will do without them. */
  readonly versions?: readonly string[];
  /** Removes labels that the description leaves out. By default they stay, as others may have set them. */
  readonly replacesLabels?: boolean;
  /** Runs all checks without writing. */
  readonly dryRun?: boolean;
  /** Reads the uid of the cluster, to refuse one that is registered under another name. */
  readonly identify?: IdentifyCluster;
}

export interface Update {
  /** `unchanged` when the record already matched; nothing was written then. */
  readonly outcome: 'updated' | 'unchanged';
  readonly cluster: ClusterRecord;
  /** Paths of fields that the kind does not have; they were dropped. */
  readonly unknownFields: readonly string[];
}

/** Without preconditions any version may be replaced, so conflicts with other writers are retried. */
const ATTEMPTS = 5;

const changedError = (ref: ClusterRef, cause?: unknown): RegistrationError =>
  new RegistrationError(
    'Changed',
    `the ${describeRef(ref)} is not as you have seen it: look at it again`,
    { cause },
  );

/** The description under the name and the uid of the record, which are immutable. */
const withIdentity = (description: JsonObject, { metadata }: ClusterRecord): JsonObject => {
  const { metadata: sentMetadata = {} } = description;
  const { name = metadata.name, uid = metadata.uid } = isJsonObject(sentMetadata)
    ? sentMetadata
    : {};
  if (name !== metadata.name) {
    const why = `must be ${metadata.name}: a cluster cannot be renamed; unregister it, and register it again`;
    throw new InvalidObjectError([invalid('metadata.name', name, why)]);
  }
  if (uid !== metadata.uid) {
    throw new InvalidObjectError([invalid('metadata.uid', uid, `must be ${metadata.uid}`)]);
  }
  return {
    ...description,
    metadata: { ...(isJsonObject(sentMetadata) ? sentMetadata : {}), name },
  };
};

/** The record with the wanted description, keeping all that an administrator does not own. */
const withDescription = (
  record: ClusterRecord,
  wantedRecord: ClusterRecord,
  replacesLabels: boolean,
): ClusterRecord => {
  const { labels, annotations } = wantedRecord.metadata;
  const keptLabels = replacesLabels && labels !== undefined ? {} : record.metadata.labels;
  return {
    ...record,
    metadata: {
      ...record.metadata,
      ...present({
        labels: labels && { ...keptLabels, ...labels },
        annotations: annotations && { ...record.metadata.annotations, ...annotations },
      }),
    },
    spec: wantedRecord.spec,
  };
};

/** True if the endpoint or the credentials change, so that the record may now mean another cluster. */
const leadsElsewhere = ({ spec: before }: ClusterRecord, { spec: now }: ClusterRecord): boolean =>
  before.apiEndpoint !== now.apiEndpoint ||
  before.secretRef?.namespace !== now.secretRef?.namespace ||
  before.secretRef?.name !== now.secretRef?.name;

const isSame = (
  record: ClusterRecord,
  desiredRecord: ClusterRecord,
  next: ClusterRecord,
): boolean =>
  isDescribedAs(record, desiredRecord) &&
  Object.keys(record.metadata.labels ?? {}).length ===
    Object.keys(next.metadata.labels ?? {}).length;

/**
 * Replaces the description of a cluster in the inventory: fields that the description leaves out are removed;
 * status, finalizers and the annotations of others stay. Costs two requests.
 * @param description The whole object, in any spelling that the kind knows. Its name may be left out.
 * @throws `InvalidObjectError` for an invalid description, before anything is written; `RegistrationError`
 * `NotRegistered`, `SameCluster`, `Leaving`, `Changed` or `BadReference`; `ApiError` when the API server
 * refuses.
 */
export const updateCluster = async (
  client: Pick<Client, 'get' | 'list' | 'update'>,
  ref: ClusterRef,
  description: object,
  options: UpdateOptions = {},
): Promise<Update> => {
  const { versions, replacesLabels = false, dryRun = false, identify } = options;
  const { signal, knownIds } = options;
  const call = present({ signal });
  for (let attempt = 1; ; attempt++) {
    const record = await getCluster(client, ref, knownIds ? { ...call, knownIds } : call);
    const { name, resourceVersion } = record.metadata;
    const sentDescription = withIdentity(description as JsonObject, record);
    const { object: desiredRecord, unknownFields } = admit(ClusterRecord, sentDescription, {
      old: record,
    });
    if (versions !== undefined && !versions.includes(resourceVersion)) throw changedError(ref);
    refuseLeaving(record);
    const next = withDescription(record, desiredRecord, replacesLabels);
    try {
      // Sent even when nothing changes, so that a caller without the right to update gets 403; the server
      // skips no-op writes.
      const write = (isTrial: boolean): Promise<ClusterRecord> =>
        client.update(ClusterRecord, next, {
          ...call,
          dryRun: isTrial,
          fieldManager: FIELD_MANAGER,
        });
      if (identify !== undefined && leadsElsewhere(record, next)) {
        await write(true);
        await refuseSame(client, next, identify, call);
      }
      const cluster = await write(dryRun);
      const outcome = isSame(record, desiredRecord, next) ? 'unchanged' : 'updated';
      return { outcome, cluster, unknownFields };
    } catch (error) {
      if (isNotFound(error)) {
        const why = `the cluster ${name} is gone already`;
        throw new RegistrationError('NotRegistered', why, { cause: error });
      }
      if (!isConflict(error)) throw error;
      if (versions !== undefined || attempt === ATTEMPTS) throw changedError(ref, error);
    }
  }
};
