import type { OwnerReference } from '@perigee/api/meta/object-meta';
import { FOREGROUND } from '../../registry/deletion-finalizers.ts';
import { storedMetaOf } from '../../registry/metadata.ts';
import { keyOf, type Registry, tableOf } from '../../registry/registry.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { nameIn, namespaceIn } from './owned-object.ts';
import type { OwnedObject, OwnershipGraph } from './ownership-graph.ts';
import type { ServedKinds } from './served-kinds.ts';
import type { OwnerState } from './verdict.ts';

export interface OwnerWorld {
  readonly registry: Registry;
  readonly kinds: ServedKinds;
  readonly graph: OwnershipGraph;
}

const metaAt = ({ registry }: OwnerWorld, resource: ServedResource, key: string) => {
  const entry = registry.store.get(tableOf(registry, resource), key);
  return entry === undefined ? undefined : storedMetaOf(entry.object);
};

/** An owner whose deletion was observed stays deleted, even when its kind is no longer served. */
const wasSeenToGo = (
  { graph }: OwnerWorld,
  { uid, kind, name }: OwnerReference,
  namespace: string | undefined,
): boolean => {
  const departedOwner = graph.departed(uid);
  if (
    departedOwner === undefined ||
    departedOwner.kind !== kind ||
    nameIn(departedOwner.key) !== name
  )
    return false;
  const ownerNamespace = namespaceIn(departedOwner.key);
  return ownerNamespace === undefined || ownerNamespace === namespace;
};

/** The state of an owner, in the namespace or cluster scope that the reference names. */
export const ownerState = (
  world: OwnerWorld,
  owner: OwnerReference,
  dependent: OwnedObject,
): OwnerState => {
  const namespace = namespaceIn(dependent.key);
  if (wasSeenToGo(world, owner, namespace)) return 'absent';
  const resource = world.kinds.ofKind(owner.apiVersion, owner.kind);
  if (resource === undefined) return 'unknown';
  const isNamespaced = resource.scope === 'Namespaced';
  // A cluster-scoped object cannot name the namespace of its owner.
  if (isNamespaced && namespace === undefined) return 'unknown';
  const meta = metaAt(world, resource, keyOf(isNamespaced ? namespace : undefined, owner.name));
  if (meta?.uid !== owner.uid) return 'absent';
  const isWaiting = meta.deletionTimestamp !== undefined && meta.finalizers?.includes(FOREGROUND);
  return isWaiting ? 'waiting' : 'solid';
};

/** True if there is such an owner, but in a namespace from which it cannot own the object. */
export const isMisplaced = (
  world: OwnerWorld,
  owner: OwnerReference,
  dependent: OwnedObject,
): boolean => {
  const resource = world.kinds.ofKind(owner.apiVersion, owner.kind);
  if (resource?.scope !== 'Namespaced') return false;
  const { store, cluster } = world.registry;
  const own = namespaceIn(dependent.key);
  return store
    .range(`${cluster}//namespaces`)
    .entries.some(
      ({ key: namespace }) =>
        namespace !== own &&
        metaAt(world, resource, keyOf(namespace, owner.name))?.uid === owner.uid,
    );
};
