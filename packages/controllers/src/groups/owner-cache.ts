import type { KubeObject, OwnerReference } from '@perigee/api/meta/object-meta';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { Clock } from '@perigee/kube/clock/clock';
import type { InformerSet } from '@perigee/kube/informer/informer-set';
import type { LookUp, OwnerLookup } from '@perigee/scheduling/groups/owner-chain';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { type OwnerKind, OwnerKinds, type WatchedKind } from './owner-kinds.ts';

export interface OwnerCacheOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly interpreter: Interpreter;
}

/** Limits the cache of deleted owners. Entries never become stale, as uids are not reused. */
const MOST_KNOWN = 10_000;

/** All fields of a reference: anybody can write a foreign uid into one. */
const keyOf = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string =>
  `${apiVersion} ${kind} ${namespace}/${name} ${uid}`;

/** True if no field that a group depends on differs. */
const isAlike = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean =>
  a.resourceVersion === b.resourceVersion ||
  (a.generation !== undefined &&
    a.generation === b.generation &&
    sameJson(a.annotations, b.annotations) &&
    sameJson(a.ownerReferences, b.ownerReferences));

/**
 * A cache of pods' owners of all kinds. A lookup costs no request, except for the first of a kind, and for an
 * owner that the watch has not delivered yet.
 */
export class OwnerCache {
  readonly #client: Client;
  readonly #kinds: OwnerKinds;
  /** Owners that were read before their watch event arrived. */
  readonly #early = new Map<string, KubeObject>();
  readonly #missingOwners = new Set<string>();
  readonly #listeners = new Set<(owner: KubeObject) => void>();

  constructor(options: OwnerCacheOptions) {
    this.#client = options.client;
    this.#kinds = new OwnerKinds({
      ...options,
      onWatched: (kind) => this.#follow(kind),
    });
  }

  /** Sets the informers to watch with. */
  connect(informers: InformerSet): void {
    this.#kinds.connect(informers);
  }

  /** Notifies of changed owners. */
  onChange(listener: (owner: KubeObject) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Returns the cached lookup of owners in a namespace. */
  lookUpIn(namespace: string): LookUp {
    return (reference) => this.#lookUp(reference, namespace);
  }

  /** The owner as a workload, if the interpreter knows its pods' needs. */
  workload(reference: OwnerReference, namespace: string): JsonObject | undefined {
    const state = this.#kinds.current(reference);
    if (state?.kind !== 'watched' || !this.#kinds.isWorkload(reference)) return undefined;
    const owner = this.#find(state, reference, namespace);
    return owner as (KubeObject & JsonObject) | undefined;
  }

  /** Loads a pending owner, so that the next lookup has a result. */
  async load(reference: OwnerReference, namespace: string, options: CallOptions): Promise<void> {
    const read = (of: OwnerKind) => this.#read(of, reference, namespace, options);
    const state =
      this.#kinds.current(reference) ?? (await this.#kinds.meet(reference, read, options));
    if (state?.kind !== 'watched' || this.#find(state, reference, namespace) !== undefined) return;
    await read(state.of);
  }

  /** Reads an owner into the cache; false if it does not exist. */
  async #read(
    of: OwnerKind,
    reference: OwnerReference,
    namespace: string,
    options: CallOptions,
  ): Promise<boolean> {
    const { name, uid } = reference;
    const ref = of.scope === 'Namespaced' ? { namespace, name } : { name };
    const requestOptions = { ...options, metadataOnly: !this.#kinds.isWorkload(reference) };
    const owner = await getOrUndefined(this.#client, of, ref, requestOptions);
    if (owner?.metadata.uid !== uid) {
      this.#miss(keyOf(reference, namespace));
      return false;
    }
    if (this.#early.size >= MOST_KNOWN) this.#early.clear();
    this.#early.set(keyOf(reference, namespace), owner);
    return true;
  }

  #lookUp(reference: OwnerReference, namespace: string): OwnerLookup {
    if (this.#missingOwners.has(keyOf(reference, namespace))) return { kind: 'missing' };
    const state = this.#kinds.current(reference);
    if (state === undefined) return { kind: 'pending' };
    if (state.kind !== 'watched') return { kind: state.kind };
    const owner = this.#find(state, reference, namespace);
    return owner === undefined ? { kind: 'pending' } : { kind: 'found', owner };
  }

  #find(
    { of, informer }: WatchedKind,
    reference: OwnerReference,
    namespace: string,
  ): KubeObject | undefined {
    const { name, uid } = reference;
    const ref = of.scope === 'Namespaced' ? { namespace, name } : { name };
    const owner = informer.get(ref);
    if (owner?.metadata.uid === uid) return owner;
    return this.#early.get(keyOf(reference, namespace));
  }

  /** Registered for the lifetime of the informer. */
  #follow({ of, informer }: WatchedKind): void {
    const keyIn = ({ metadata: { name, uid, namespace = '' } }: KubeObject): string =>
      keyOf({ apiVersion: apiVersionOf(of), kind: of.kind, name, uid }, namespace);
    const notify = (owner: KubeObject) => {
      for (const listener of this.#listeners) listener(owner);
    };
    informer.addHandler({
      onAdd: (owner) => void this.#early.delete(keyIn(owner)),
      onUpdate: (owner, before) => {
        if (!isAlike(owner, before)) notify(owner);
      },
      onDelete: (owner) => {
        this.#early.delete(keyIn(owner));
        this.#miss(keyIn(owner));
        notify(owner);
      },
    });
  }

  #miss(key: string): void {
    if (this.#missingOwners.size >= MOST_KNOWN) this.#missingOwners.clear();
    this.#missingOwners.add(key);
  }
}
