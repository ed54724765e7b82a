import { present } from '@perigee/schema/present';
import type { KubeObject, ObjectMeta, OwnerReference } from '../meta/object-meta.ts';

/** An object has one controller at most, and this one has another already. */
export class AlreadyOwnedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AlreadyOwnedError';
  }
}

type Owned = { readonly metadata: Pick<ObjectMeta, 'ownerReferences'> };
type References = readonly OwnerReference[];

export interface OwnerReferenceOptions {
  /** The owner manages the object; there is one such owner at most. */
  readonly controller?: boolean;
  /** A foreground deletion of the owner waits for the object. */
  readonly blockOwnerDeletion?: boolean;
}

export const ownerReferenceTo = (
  owner: KubeObject,
  { controller, blockOwnerDeletion }: OwnerReferenceOptions = {},
): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  ...present({ controller, blockOwnerDeletion }),
});

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/** The same owner, perhaps in another version of its API, perhaps made anew under its old name. */
const isSameOwner = (a: OwnerReference, b: OwnerReference): boolean =>
  a.uid === b.uid ||
  (a.kind === b.kind && a.name === b.name && groupOf(a.apiVersion) === groupOf(b.apiVersion));

const isEqual = (a: OwnerReference, b: OwnerReference): boolean =>
  a.uid === b.uid &&
  a.name === b.name &&
  a.kind === b.kind &&
  a.apiVersion === b.apiVersion &&
  a.controller === b.controller &&
  a.blockOwnerDeletion === b.blockOwnerDeletion;

/**
 * Puts the reference in the place of the one to the same owner, or at the end; the very same array
 * when nothing changes. Throws when it would be a second controller.
 */
export const setOwnerReference = (
  references: References | undefined,
  reference: OwnerReference,
): References => {
  const others = references ?? [];
  const rival = others.find((other) => other.controller && !isSameOwner(other, reference));
  if (reference.controller && rival !== undefined) {
    throw new AlreadyOwnedError(
      `${reference.kind} ${reference.name} cannot become the controller of an object that ${rival.kind} ${rival.name} controls already`,
    );
  }
  const place = others.findIndex((other) => isSameOwner(other, reference));
  const old = others[place];
  if (old === undefined) return [...others, reference];
  return isEqual(old, reference) ? others : others.with(place, reference);
};

/** The owner that manages the object, if there is one. */
export const controllerOf = ({ metadata }: Owned): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller);

export const isOwnedBy = (
  { metadata }: Owned,
  owner: { readonly metadata: Pick<ObjectMeta, 'uid'> },
): boolean => metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
