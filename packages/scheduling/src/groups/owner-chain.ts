import type { ObjectMeta, OwnerReference } from '@perigee/api/meta/object-meta';
import { controllerOf } from '@perigee/api/values/owner-references';

/** An object with owner references, or an owner. */
export interface OwnedObject {
  readonly metadata: Pick<ObjectMeta, 'uid' | 'namespace' | 'ownerReferences' | 'annotations'>;
}

/** Result of looking up an owner reference. */
export type OwnerLookup =
  | { readonly kind: 'found'; readonly owner: OwnedObject }
  /** Not found, or recreated with another uid. */
  | { readonly kind: 'missing' }
  /** Reading it is forbidden. */
  | { readonly kind: 'unreadable' }
  /** The API server does not serve its kind. */
  | { readonly kind: 'unknown' }
  /** Not fetched yet. */
  | { readonly kind: 'pending' };

export type LookUp = (reference: OwnerReference) => OwnerLookup;

/** One step of an owner chain. */
export interface OwnerLink {
  readonly reference: OwnerReference;
  /** Absent if it cannot be read; the chain ends there. */
  readonly owner?: OwnedObject;
}

/** The reason why an owner chain ends. */
export type ChainEnd =
  | { readonly kind: 'root' | 'too-deep' }
  | {
      readonly kind: 'missing' | 'unreadable' | 'unknown' | 'pending' | 'cycle';
      readonly reference: OwnerReference;
    };

/** Legitimate chains are short; a longer one is an attack. */
export const DEEPEST_CHAIN = 32;

/**
 * Yields the owners of an object, from its controller upwards, each looked up lazily. A missing
 * owner ends the chain and is not yielded: its dependents are about to be garbage-collected, or
 * name a wrong owner.
 */
export function* ownersOf(object: OwnedObject, lookUp: LookUp): Generator<OwnerLink, ChainEnd> {
  const visitedUids = new Set([object.metadata.uid]);
  let below = object;
  for (let depth = 0; depth < DEEPEST_CHAIN; depth++) {
    const reference = controllerOf(below);
    if (reference === undefined) return { kind: 'root' };
    if (visitedUids.has(reference.uid)) return { kind: 'cycle', reference };
    visitedUids.add(reference.uid);
    const lookup = lookUp(reference);
    if (lookup.kind === 'missing' || lookup.kind === 'pending') return { ...lookup, reference };
    if (lookup.kind !== 'found') {
      yield { reference };
      return { ...lookup, reference };
    }
    yield { reference, owner: lookup.owner };
    below = lookup.owner;
  }
  return { kind: 'too-deep' };
}

/** The topmost readable owner of an object, or the object to fetch first. */
export const topOwner = (
  object: OwnedObject,
  lookUp: LookUp,
):
  | { readonly kind: 'known'; readonly reference?: OwnerReference }
  | { readonly kind: 'pending'; readonly reference: OwnerReference } => {
  let reference: OwnerReference | undefined;
  const chain = ownersOf(object, lookUp);
  for (let step = chain.next(); ; step = chain.next()) {
    if (!step.done) reference = step.value.reference;
    else if (step.value.kind === 'pending') return step.value as never;
    else return reference === undefined ? { kind: 'known' } : { kind: 'known', reference };
  }
};
