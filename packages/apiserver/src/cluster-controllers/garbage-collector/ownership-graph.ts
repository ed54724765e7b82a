import type { OwnerReference } from '@perigee/api/meta/object-meta';
import { FOREGROUND, ORPHAN } from '../../registry/deletion-finalizers.ts';

/** An object that has owners, or waits for its dependents. All others are not kept. */
export interface OwnedObject {
  readonly uid: string;
  readonly table: string;
  readonly key: string;
  readonly owners: readonly OwnerReference[];
  readonly isEnding: boolean;
  /** Those by which the garbage collector keeps it. */
  readonly finalizers: readonly string[];
}

/** The object behind a UID, as references to it should name it. */
export interface Departed {
  readonly uid: string;
  readonly kind: string;
  readonly key: string;
}

/** True if it ends only after its dependents. */
export const isWaiting = ({ isEnding, finalizers }: OwnedObject): boolean =>
  isEnding && finalizers.includes(FOREGROUND);

const isOrphaning = ({ isEnding, finalizers }: OwnedObject): boolean =>
  isEnding && finalizers.includes(ORPHAN);

const matters = (object: OwnedObject): boolean =>
  object.owners.length > 0 || isWaiting(object) || isOrphaning(object);

const sameReference = (a: OwnerReference | undefined, b: OwnerReference | undefined): boolean =>
  a?.uid === b?.uid &&
  a?.name === b?.name &&
  a?.kind === b?.kind &&
  a?.apiVersion === b?.apiVersion &&
  a?.blockOwnerDeletion === b?.blockOwnerDeletion;

const sameFate = (a: OwnedObject, b: OwnedObject): boolean =>
  a.isEnding === b.isEnding &&
  isWaiting(a) === isWaiting(b) &&
  isOrphaning(a) === isOrphaning(b) &&
  a.owners.length === b.owners.length &&
  a.owners.every((owner, index) => sameReference(owner, b.owners[index]));

/**
 * The graph of owners and dependents, by UID. It holds owners that are known from references alone, too. A change
 * of an object costs as much as it has owners; its deletion, or its wait for dependents, as much as it has
 * dependents.
 */
export class OwnershipGraph {
  readonly #objects = new Map<string, OwnedObject>();
  readonly #dependents = new Map<string, Set<string>>();
  /** Deleted owners, as long as references to them remain. */
  readonly #departures = new Map<string, Departed>();

  get(uid: string): OwnedObject | undefined {
    return this.#objects.get(uid);
  }

  departed(uid: string): Departed | undefined {
    return this.#departures.get(uid);
  }

  /** True if anything is known of the UID. */
  knows(uid: string): boolean {
    return this.#objects.has(uid) || this.#dependents.has(uid);
  }

  hasDependents(uid: string): boolean {
    return this.#dependents.has(uid);
  }

  *dependentsOf(uid: string): Generator<OwnedObject> {
    for (const dependent of this.#dependents.get(uid) ?? []) {
      const object = this.#objects.get(dependent);
      if (object !== undefined) yield object;
    }
  }

  /** Adds the newest state of an object, and returns the UIDs whose verdict may have changed. */
  put(object: OwnedObject): readonly string[] {
    const { uid } = object;
    const before = this.#objects.get(uid);
    if (before !== undefined && sameFate(before, object)) return [];
    if (before === undefined && !matters(object)) return [];
    const isKept = matters(object);
    if (isKept) this.#link(object);
    else this.#objects.delete(uid);
    const owners = new Set(isKept ? object.owners.map((owner) => owner.uid) : []);
    this.#unlink(uid, before?.owners.filter((owner) => !owners.has(owner.uid)) ?? []);
    const begins = isWaiting(object) && !(before !== undefined && isWaiting(before));
    return [
      uid,
      ...(begins ? (this.#dependents.get(uid) ?? []) : []),
      ...this.#waitingOwners(before),
    ];
  }

  /** Removes a deleted object, and returns the UIDs whose verdict may have changed. */
  remove(departure: Departed): readonly string[] {
    const before = this.#objects.get(departure.uid);
    this.#objects.delete(departure.uid);
    this.#unlink(departure.uid, before?.owners ?? []);
    const dependents = this.#dependents.get(departure.uid);
    if (dependents !== undefined) this.#departures.set(departure.uid, departure);
    return [...(dependents ?? []), ...this.#waitingOwners(before)];
  }

  #waitingOwners(object: OwnedObject | undefined): readonly string[] {
    const owners = object?.owners.map(({ uid }) => this.#objects.get(uid)) ?? [];
    return owners.flatMap((owner) => (owner && isWaiting(owner) ? [owner.uid] : []));
  }

  #link(object: OwnedObject): void {
    this.#objects.set(object.uid, object);
    for (const { uid } of object.owners) {
      const dependents = this.#dependents.get(uid);
      if (dependents === undefined) this.#dependents.set(uid, new Set([object.uid]));
      else dependents.add(object.uid);
    }
  }

  #unlink(uid: string, owners: readonly OwnerReference[]): void {
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size !== 0) continue;
      this.#dependents.delete(owner.uid);
      this.#departures.delete(owner.uid);
    }
  }
}
