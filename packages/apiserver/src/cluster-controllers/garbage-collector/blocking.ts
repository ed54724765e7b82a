import { namespaceIn } from './owned-object.ts';
import { isWaiting, type OwnedObject, type OwnershipGraph } from './ownership-graph.ts';

/**
 * Whether a dependent keeps an object that waits for its dependents. One that cannot belong to it, because
 * it is in no namespace and the object is in one, is nobody's to collect, and so would keep it for ever.
 */
export const isBlocking = (dependent: OwnedObject, { uid, key }: OwnedObject): boolean =>
  (namespaceIn(dependent.key) !== undefined || namespaceIn(key) === undefined) &&
  dependent.owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion);

/** Whether an object that waits keeps its owners, which wait as well, and in the end itself. */
export const isCircular = (graph: OwnershipGraph, object: OwnedObject): boolean => {
  if (!isWaiting(object)) return false;
  const seen = new Set<string>();
  const open = [object];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { uid, blockOwnerDeletion } of next.owners) {
      if (!blockOwnerDeletion || seen.has(uid)) continue;
      if (uid === object.uid) return true;
      seen.add(uid);
      const owner = graph.get(uid);
      if (owner !== undefined && isWaiting(owner)) open.push(owner);
    }
  }
  return false;
};
