import type { ObjectMeta, OwnerReference } from '@perigee/api/meta/object-meta';
import { controllerOf } from '@perigee/api/values/owner-references';

/** An object with an owner, or that is one. */
export interface Owned {
  readonly metadata: Pick<ObjectMeta, 'uid' | 'namespace' | 'ownerReferences' | 'annotations'>;
}

/** What is known of the object that a reference names. */
export type OwnerLookup =
  | { readonly kind: 'found'; readonly owner: Owned }
  /** There is none of this name, or it is another by now. */
  | { readonly kind: 'missing' }
  /** It may not be read. */
  | { readonly kind: 'unreadable' }
  /** The server does not serve its kind. */
  | { readonly kind: 'unknown' }
  /** It has yet to be asked for. */
  | { readonly kind: 'pending' };

export type LookUp = (reference: OwnerReference) => OwnerLookup;

/** One owner on the way up. */
export interface OwnerLink {
  readonly reference: OwnerReference;
  /** Absent when it cannot be read; the way up ends there. */
  readonly owner?: Owned;
}

/** Why the way up ends. */
export type ChainEnd =
  | { readonly kind: 'root' | 'too-deep' }
  | {
      readonly kind: 'missing' | 'unreadable' | 'unknown' | 'pending' | 'cycle';
      readonly reference: OwnerReference;
    };

/** Nobody owns things so deep; a chain that is longer was made to do harm. */
export const DEEPEST_CHAIN = 32;

/**
 * The owners of an object, from the one that manages it upwards, each looked up when it is asked for. One
 * that is missing is not among them: what is owned by it is about to go, or was given a wrong owner.
 */
export function* ownersOf(object: Owned, lookUp: LookUp): Generator<OwnerLink, ChainEnd> {
  const seen = new Set([object.metadata.uid]);
  let below = object;
  for (let depth = 0; depth < DEEPEST_CHAIN; depth++) {
    const reference = controllerOf(below);
    if (reference === undefined) return { kind: 'root' };
    if (seen.has(reference.uid)) return { kind: 'cycle', reference };
    seen.add(reference.uid);
    const found = lookUp(reference);
    if (found.kind === 'missing' || found.kind === 'pending') return { ...found, reference };
    if (found.kind !== 'found') {
      yield { reference };
      return { ...found, reference };
    }
    yield { reference, owner: found.owner };
    below = found.owner;
  }
  return { kind: 'too-deep' };
}

/** The topmost owner of an object, as far as owners can be read; or which one has to be asked for to know it. */
export const topOwner = (
  object: Owned,
  lookUp: LookUp,
):
  | { readonly kind: 'known'; readonly reference?: OwnerReference }
  | { readonly kind: 'pending'; readonly reference: OwnerReference } => {
  let reference: OwnerReference | undefined;
  const way = ownersOf(object, lookUp);
  for (let step = way.next(); ; step = way.next()) {
    if (!step.done) reference = step.value.reference;
    else if (step.value.kind === 'pending') return step.value as never;
    else return reference === undefined ? { kind: 'known' } : { kind: 'known', reference };
  }
};
