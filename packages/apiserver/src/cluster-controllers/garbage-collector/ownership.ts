import type { OwnerReference } from '@perigee/api/meta/object-meta';
import type { Registry } from '../../registry/registry.ts';
import { namespaceIn } from './owned-object.ts';
import { isMisplaced, type OwnerWorld, ownerState } from './owner-states.ts';
import { type Departed, isWaiting, type OwnedObject, OwnershipGraph } from './ownership-graph.ts';
import { ServedKinds } from './served-kinds.ts';
import { type Situation, type Verdict, verdictOn } from './verdict.ts';

/**
 * True if a dependent blocks the deletion of an object. A cluster-scoped object cannot depend on a namespaced one:
 * it is never collected, and would block for ever.
 */
const isBlocking = (dependent: OwnedObject, { uid, key }: OwnedObject): boolean =>
  (namespaceIn(dependent.key) !== undefined || namespaceIn(key) === undefined) &&
  dependent.owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion);

/** True if a waiting object blocks its owners, which wait as well, and in the end itself. */
const isCircular = (graph: OwnershipGraph, object: OwnedObject): boolean => {
  if (!isWaiting(object)) return false;
  const visited = new Set<string>();
  const open = [object];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { uid, blockOwnerDeletion } of next.owners) {
      if (!blockOwnerDeletion || visited.has(uid)) continue;
      if (uid === object.uid) return true;
      visited.add(uid);
      const owner = graph.get(uid);
      if (owner !== undefined && isWaiting(owner)) open.push(owner);
    }
  }
  return false;
};

const groupKind = (apiVersion: string, kind: string): string =>
  `${kind}.${apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''}`;

/** Number of objects per turn of the event loop. */
const SLICE = 200;

/** The owners and dependents of one cluster, and what is to be done about them. */
export class Ownership implements OwnerWorld {
  readonly registry: Registry;
  readonly kinds: ServedKinds;
  readonly graph = new OwnershipGraph();
  readonly #enqueue: (uid: string) => void;
  /** Objects whose owners are of kinds that are not served, by these kinds. */
  readonly #undecidedObjects = new Map<string, Set<string>>();
  /** References that were seen for the first time, and may be worth a warning. */
  readonly #misplaced = new Map<string, readonly OwnerReference[]>();
  #affected: string[] = [];
  #isConsidering = false;

  /** `enqueue` gets the UIDs of objects to reconcile. */
  constructor(registry: Registry, enqueue: (uid: string) => void) {
    this.registry = registry;
    this.kinds = new ServedKinds(registry);
    this.#enqueue = enqueue;
  }

  put(object: OwnedObject): void {
    const before = this.graph.get(object.uid);
    const affected = this.graph.put(object);
    if (affected.length > 0) this.#forget(before);
    if (affected.length > 0) this.#inspect(object);
    this.#consider(affected);
  }

  remove(departure: Departed): void {
    if (!this.graph.knows(departure.uid)) return;
    this.#forget(this.graph.get(departure.uid));
    this.#consider(this.graph.remove(departure));
  }

  /** A kind is served now, or no longer. */
  kindChanged(group: string, kind: string): void {
    const key = `${kind}.${group}`;
    const undecidedObjects = this.#undecidedObjects.get(key) ?? [];
    this.#undecidedObjects.delete(key);
    this.#consider(undecidedObjects);
  }

  verdict(object: OwnedObject): Verdict {
    return verdictOn(this.#situation(object));
  }

  /** References to owners in other namespaces; each is returned once. */
  takeMisplaced(uid: string): readonly OwnerReference[] {
    const references = this.#misplaced.get(uid) ?? [];
    this.#misplaced.delete(uid);
    return references;
  }

  #consider(uids: Iterable<string>): void {
    for (const uid of uids) this.#affected.push(uid);
    if (!this.#isConsidering) void this.#considerAll();
  }

  /** An owner may have too many dependents for one turn of the event loop. */
  async #considerAll(): Promise<void> {
    this.#isConsidering = true;
    while (this.#affected.length > 0) {
      const uids = this.#affected;
      this.#affected = [];
      for (const [index, uid] of uids.entries()) {
        if (index % SLICE === SLICE - 1) await this.registry.clock.yield();
        this.#considerOne(uid);
      }
    }
    this.#isConsidering = false;
  }

  #considerOne(uid: string): void {
    const object = this.graph.get(uid);
    if (object === undefined) return;
    if (this.verdict(object).do !== 'nothing' || this.#misplaced.has(uid)) this.#enqueue(uid);
  }

  #forget(object: OwnedObject | undefined): void {
    if (object === undefined) return;
    this.#misplaced.delete(object.uid);
    for (const { apiVersion, kind } of object.owners) {
      const key = groupKind(apiVersion, kind);
      const undecided = this.#undecidedObjects.get(key);
      undecided?.delete(object.uid);
      if (undecided?.size === 0) this.#undecidedObjects.delete(key);
    }
  }

  #inspect(object: OwnedObject): void {
    const suspects = object.owners.filter((owner) => {
      const state = ownerState(this, owner, object);
      return (state === 'absent' || state === 'unknown') && isMisplaced(this, owner, object);
    });
    if (suspects.length > 0) this.#misplaced.set(object.uid, suspects);
  }

  #situation(object: OwnedObject): Situation {
    const { uid, isEnding, finalizers } = object;
    const { graph } = this;
    const owners = object.owners.map((owner) => ({
      uid: owner.uid,
      state: this.#stateOf(owner, object),
    }));
    const isAwaited = !isEnding && owners.some(({ state }) => state === 'waiting');
    return {
      isEnding,
      finalizers,
      isCircular: isCircular(graph, object),
      owners,
      dependents: {
        any: graph.hasDependents(uid),
        blocking:
          isWaiting(object) &&
          graph.dependentsOf(uid).some((dependent) => isBlocking(dependent, object)),
        waiting: isAwaited && graph.dependentsOf(uid).some(isWaiting),
      },
    };
  }

  #stateOf(owner: OwnerReference, object: OwnedObject) {
    const state = ownerState(this, owner, object);
    if (state === 'unknown') {
      const key = groupKind(owner.apiVersion, owner.kind);
      const undecided = this.#undecidedObjects.get(key);
      if (undecided === undefined) this.#undecidedObjects.set(key, new Set([object.uid]));
      else undecided.add(object.uid);
    }
    return state;
  }
}
