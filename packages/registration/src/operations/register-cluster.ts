import { InvalidObjectError, required } from '@perigee/api/errors';
import type { JsonObject } from '@perigee/api/json';
import { admit } from '@perigee/api/kind/admit';
import { Cluster } from '@perigee/api/kinds/globalscheduler/cluster';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { isAlreadyExists, isNotFound } from '@perigee/kube/errors';
import { RegistrationError } from '../errors.ts';

export interface RegisterOptions extends CallOptions {
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean;
}

export interface Registration {
  /** `unchanged` when the very same cluster was registered before. */
  readonly outcome: 'registered' | 'unchanged';
  readonly cluster: Cluster;
  /** The paths of fields that the kind does not have; they were left out. */
  readonly unknownFields: readonly string[];
}

const FIELD_MANAGER = 'perigee-registration';
/** Between two looks somebody else may register or unregister the same name. */
const ATTEMPTS = 3;

type Words = { readonly [key: string]: string } | undefined;

/** Others may have added labels and annotations of theirs; what is asked for has to be there. */
const hasWords = (present: Words, wanted: Words): boolean =>
  Object.entries(wanted ?? {}).every(([key, value]) => present?.[key] === value);

const isSame = (present: Cluster, wanted: Cluster): boolean =>
  sameJson(present.spec as JsonObject, wanted.spec as JsonObject) &&
  hasWords(present.metadata.labels, wanted.metadata.labels) &&
  hasWords(present.metadata.annotations, wanted.metadata.annotations);

const isNamed = ({ metadata }: { readonly metadata?: { readonly name?: unknown } }): boolean =>
  metadata?.name !== undefined && metadata.name !== '';

/** The record that has the name already, if it is what is wanted. */
const alreadyThere = (present: Cluster, wanted: Cluster): Cluster => {
  const { name, deletionTimestamp, uid } = present.metadata;
  if (deletionTimestamp !== undefined) {
    throw new RegistrationError(
      'Leaving',
      `the cluster ${name} is being unregistered since ${deletionTimestamp}: register it again when it is gone`,
    );
  }
  if (isSame(present, wanted)) return present;
  throw new RegistrationError(
    'NameTaken',
    `the name ${name} is taken by the cluster ${uid}, which is described otherwise: choose another name, or unregister that one first`,
  );
};

/**
 * Writes a cluster into the inventory. It deploys nothing. The same cluster once more is answered with the
 * record that is there. Costs one request for a new cluster, two for one that is there.
 * @param cluster The whole object, in any spelling that the kind knows.
 * @throws `InvalidObjectError` for what cannot be a cluster, before anything is written;
 *   `RegistrationError` `NameTaken` or `Leaving`; `ApiError` for what the API server refuses.
 */
export const registerCluster = async (
  client: Pick<Client, 'create' | 'get'>,
  cluster: object,
  options: RegisterOptions = {},
): Promise<Registration> => {
  if (!isNamed(cluster)) throw new InvalidObjectError([required('metadata.name')]);
  const { object: wanted, unknownFields } = admit(Cluster, cluster);
  const { signal } = options;
  const { name } = wanted.metadata;
  for (let attempt = 1; ; attempt++) {
    try {
      const created = await client.create(Cluster, wanted, {
        ...options,
        fieldManager: FIELD_MANAGER,
      });
      return { outcome: 'registered', cluster: created, unknownFields };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    try {
      const present = await client.get(Cluster, { name }, signal ? { signal } : {});
      return { outcome: 'unchanged', cluster: alreadyThere(present, wanted), unknownFields };
    } catch (error) {
      if (!isNotFound(error) || attempt === ATTEMPTS) throw error;
    }
  }
};
