import type { KubeObject, OwnerReference } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { isForbidden, isNotServed, UnknownKindError } from '@perigee/kube/errors';
import {
  type ChainEnd,
  type LookUp,
  type OwnedObject,
  type OwnerLink,
  type OwnerLookup,
  ownersOf,
} from '@perigee/scheduling/groups/owner-chain';

/** The owners of a pod, up to the root or to the first that cannot be read. */
export interface Lineage {
  readonly owners: readonly OwnerLink[];
  readonly end: ChainEnd;
  readonly lookUp: LookUp;
}

const fetchOwner = async (
  client: Client,
  mapper: RestMapper,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): Promise<OwnerLookup> => {
  try {
    const of = (await mapper.byKind(apiVersion, kind)) as ResourceKind<KubeObject>;
    const ref = of.scope === 'Namespaced' ? { namespace, name } : { name };
    const owner = await getOrUndefined(client, of, ref, { metadataOnly: true });
    return owner?.metadata.uid === uid ? { kind: 'found', owner } : { kind: 'missing' };
  } catch (error) {
    if (error instanceof UnknownKindError || isNotServed(error)) return { kind: 'unknown' };
    if (isForbidden(error)) return { kind: 'unreadable' };
    throw error;
  }
};

const climb = (pod: OwnedObject, lookUp: LookUp): Omit<Lineage, 'lookUp'> => {
  const owners: OwnerLink[] = [];
  const chain = ownersOf(pod, lookUp);
  for (let step = chain.next(); ; step = chain.next()) {
    if (step.done) return { owners, end: step.value };
    owners.push(step.value);
  }
};

/** Reads the owners of a pod one by one, for a single query. */
export const fetchLineage = async (client: Client, pod: OwnedObject): Promise<Lineage> => {
  const mapper = new RestMapper(client);
  const lookups = new Map<string, OwnerLookup>();
  const lookUp: LookUp = ({ uid }) => lookups.get(uid) ?? { kind: 'pending' };
  for (;;) {
    const { owners, end } = climb(pod, lookUp);
    if (end.kind !== 'pending') return { owners, end, lookUp };
    const { reference } = end;
    const { namespace = '' } = pod.metadata;
    lookups.set(reference.uid, await fetchOwner(client, mapper, reference, namespace));
  }
};
