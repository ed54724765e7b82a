import { admit } from '@perigee/api/kind/admit';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { isAlreadyExists, isNotFound } from '@perigee/kube/errors';
import { InvalidObjectError, required } from '@perigee/schema/errors';
import { present } from '@perigee/schema/present';
import { RegistrationError } from '../errors.ts';
import { isDescribedAs, refuseLeaving } from './described-as.ts';
import { canBeIdentified, type IdentifyCluster, refuseSame } from './same-cluster.ts';

export interface RegisterOptions extends CallOptions {
  /** Runs all checks without writing. */
  readonly dryRun?: boolean;
  /**
   * Reads the uid of the cluster, to refuse registering it twice; without it the control plane detects that
   * later.
   */
  readonly identify?: IdentifyCluster;
}

export interface Registration {
  /** `unchanged` if an identical record already existed. */
  readonly outcome: 'registered' | 'unchanged';
  readonly cluster: ClusterRecord;
  /** Paths of fields that the kind does not have; they were dropped. */
  readonly unknownFields: readonly string[];
}

/** The field manager of all fields that administrators set in a cluster record. */
export const FIELD_MANAGER = 'perigee-registration';
/** Between the create and the get, another caller may register or unregister the same name. */
const ATTEMPTS = 3;

const isNamed = ({ metadata }: { readonly metadata?: { readonly name?: unknown } }): boolean =>
  metadata?.name !== undefined && metadata.name !== '';

/** The record that has the name, if it is identical to the wanted one; throws otherwise. */
const alreadyThere = (present: ClusterRecord, desiredRecord: ClusterRecord): ClusterRecord => {
  refuseLeaving(present);
  if (isDescribedAs(present, desiredRecord)) return present;
  const { name, uid } = present.metadata;
  throw new RegistrationError(
    'NameTaken',
    `the name ${name} is taken by the cluster ${uid}, which is described otherwise: change that one, choose another name, or unregister it first`,
  );
};

/**
 * Writes a cluster into the inventory; deploys nothing. Registering the same cluster again returns the
 * existing record. Costs one request for a new cluster, two for an existing one.
 * @param cluster The whole object, in any spelling that the kind knows.
 * @throws `InvalidObjectError` for an invalid cluster, before anything is written; `RegistrationError`
 * `NameTaken`, `SameCluster` or `Leaving`; `ApiError` when the API server refuses.
 */
export const registerCluster = async (
  client: Pick<Client, 'create' | 'get' | 'list'>,
  cluster: object,
  options: RegisterOptions = {},
): Promise<Registration> => {
  if (!isNamed(cluster)) throw new InvalidObjectError([required('metadata.name')]);
  const { object: desiredRecord, unknownFields } = admit(ClusterRecord, cluster);
  const { signal, identify, dryRun = false } = options;
  const call = present({ signal });
  const { name } = desiredRecord.metadata;
  const create = (isTrial: boolean): Promise<ClusterRecord> =>
    client.create(ClusterRecord, desiredRecord, {
      ...call,
      dryRun: isTrial,
      fieldManager: FIELD_MANAGER,
    });
  for (let attempt = 1; ; attempt++) {
    try {
      if (identify !== undefined && canBeIdentified(desiredRecord)) {
        // The dry run comes first: a caller without the right to register must not make us contact the
        // cluster.
        await create(true);
        await refuseSame(client, desiredRecord, identify, call);
      }
      const createdRecord = await create(dryRun);
      return { outcome: 'registered', cluster: createdRecord, unknownFields };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    try {
      const present = await client.get(ClusterRecord, { name }, call);
      return { outcome: 'unchanged', cluster: alreadyThere(present, desiredRecord), unknownFields };
    } catch (error) {
      if (!isNotFound(error) || attempt === ATTEMPTS) throw error;
    }
  }
};
