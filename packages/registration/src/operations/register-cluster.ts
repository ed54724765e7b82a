import { InvalidObjectError, required } from '@perigee/api/errors';
import { admit } from '@perigee/api/kind/admit';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { isAlreadyExists, isNotFound } from '@perigee/kube/errors';
import { RegistrationError } from '../errors.ts';
import { isDescribedAs, refuseLeaving } from './described-as.ts';
import { canBeIdentified, type IdentifyCluster, refuseSame } from './same-cluster.ts';

export interface RegisterOptions extends CallOptions {
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean;
  /** Keeps the same cluster from being registered twice; unless given, the control plane finds out later. */
  readonly identify?: IdentifyCluster;
}

export interface Registration {
  /** `unchanged` when the very same cluster was registered before. */
  readonly outcome: 'registered' | 'unchanged';
  readonly cluster: ClusterRecord;
  /** The paths of fields that the kind does not have; they were left out. */
  readonly unknownFields: readonly string[];
}

/** Who writes what an administrator says of a cluster. */
export const FIELD_MANAGER = 'perigee-registration';
/** Between two looks somebody else may register or unregister the same name. */
const ATTEMPTS = 3;

const isNamed = ({ metadata }: { readonly metadata?: { readonly name?: unknown } }): boolean =>
  metadata?.name !== undefined && metadata.name !== '';

/** The record that has the name already, if it is what is wanted. */
const alreadyThere = (present: ClusterRecord, wanted: ClusterRecord): ClusterRecord => {
  refuseLeaving(present);
  if (isDescribedAs(present, wanted)) return present;
  const { name, uid } = present.metadata;
  throw new RegistrationError(
    'NameTaken',
    `the name ${name} is taken by the cluster ${uid}, which is described otherwise: change that one, choose another name, or unregister it first`,
  );
};

/**
 * Writes a cluster into the inventory. It deploys nothing. The same cluster once more is answered with the
 * record that is there. Costs one request for a new cluster, two for one that is there.
 * @param cluster The whole object, in any spelling that the kind knows.
 * @throws `InvalidObjectError` for what cannot be a cluster, before anything is written;
 *   `RegistrationError` `NameTaken`, `SameCluster` or `Leaving`; `ApiError` for what the API server refuses.
 */
export const registerCluster = async (
  client: Pick<Client, 'create' | 'get' | 'list'>,
  cluster: object,
  options: RegisterOptions = {},
): Promise<Registration> => {
  if (!isNamed(cluster)) throw new InvalidObjectError([required('metadata.name')]);
  const { object: wanted, unknownFields } = admit(ClusterRecord, cluster);
  const { signal, identify, dryRun = false } = options;
  const call = signal ? { signal } : {};
  const { name } = wanted.metadata;
  const create = (isTrial: boolean): Promise<ClusterRecord> =>
    client.create(ClusterRecord, wanted, { ...call, dryRun: isTrial, fieldManager: FIELD_MANAGER });
  for (let attempt = 1; ; attempt++) {
    try {
      if (identify !== undefined && canBeIdentified(wanted)) {
        // Nobody is asked about a cluster by whoever may not register it.
        await create(true);
        await refuseSame(client, wanted, identify, call);
      }
      const created = await create(dryRun);
      return { outcome: 'registered', cluster: created, unknownFields };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    try {
      const present = await client.get(ClusterRecord, { name }, call);
      return { outcome: 'unchanged', cluster: alreadyThere(present, wanted), unknownFields };
    } catch (error) {
      if (!isNotFound(error) || attempt === ATTEMPTS) throw error;
    }
  }
};
