import type { JsonObject } from '@perigee/api/json';
import type { KubeObject, OwnerReference } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { orAborted } from '@perigee/kube/client/or-aborted';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { Clock } from '@perigee/kube/clock/clock';
import { isForbidden, isNotServed, UnknownKindError } from '@perigee/kube/errors';
import type { Informer } from '@perigee/kube/informer/informer';
import type { InformerSet } from '@perigee/kube/informer/informer-set';
import type { LookUp, OwnerLookup } from '@perigee/scheduling/groups/owner-chain';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';

export interface OwnerCacheOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly interpreter: Interpreter;
}

type OwnerKind = ResourceKind<KubeObject>;

type KindState =
  | { readonly kind: 'watched'; readonly of: OwnerKind; readonly informer: Informer<KubeObject> }
  | { readonly kind: 'unreadable' | 'unknown'; readonly until: number };

/** After so long a kind that could not be read may be, because it was installed or allowed meanwhile. */
const ASK_AGAIN_MS = 60_000;
/** Objects that are gone do not come back: no two have the same uid. Only memory limits how long that is known. */
const MOST_KNOWN = 10_000;
/** So many kinds that say nothing of pods are watched; further ones count as unreadable. */
const MOST_WATCHED = 100;
/** So many names of kinds are known to be of no use; who writes a pod can name any as its owner. */
const MOST_USELESS = 1000;

/** Whether nothing differs that a group could be made of. */
const isAlike = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean =>
  a.resourceVersion === b.resourceVersion ||
  (a.generation !== undefined &&
    a.generation === b.generation &&
    sameJson(a.annotations, b.annotations) &&
    sameJson(a.ownerReferences, b.ownerReferences));

const nameOf = ({ apiVersion, kind }: OwnerReference): string => `${apiVersion} ${kind}`;

/**
 * The owners of pods, of whatever kind: each kind that owns something is watched once, by its metadata, or
 * whole if it is known to say what its pods need. Looking up an owner costs no request; only the first of a
 * kind does, and one that the watch has not brought yet.
 */
export class OwnerCache {
  readonly #options: OwnerCacheOptions;
  readonly #mapper: RestMapper;
  readonly #kinds = new Map<string, KindState>();
  readonly #opening = new Map<string, Promise<KindState>>();
  /** Read past the watch, which is late. */
  readonly #early = new Map<string, KubeObject>();
  readonly #missing = new Set<string>();
  readonly #listeners = new Set<(owner: KubeObject) => void>();
  #informers: InformerSet | undefined;

  constructor(options: OwnerCacheOptions) {
    this.#options = options;
    this.#mapper = new RestMapper(options.client);
  }

  /** Gives it the informers to watch with. */
  connect(informers: InformerSet): void {
    if (this.#informers === informers) return;
    this.#informers = informers;
    this.#kinds.clear();
    this.#opening.clear();
  }

  /** Told of owners that changed. */
  onChange(listener: (owner: KubeObject) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** What is known now of the owners of objects in a namespace. */
  lookUpIn(namespace: string): LookUp {
    return (reference) => this.#lookUp(reference, namespace);
  }

  /** The owner as a workload, if its kind says what its pods need. */
  workload(reference: OwnerReference, namespace: string): JsonObject | undefined {
    const state = this.#kinds.get(nameOf(reference));
    if (state?.kind !== 'watched' || !this.#isWorkload(reference)) return undefined;
    const owner = this.#find(state, reference, namespace);
    return owner as (KubeObject & JsonObject) | undefined;
  }

  /** Asks for an owner that is pending; it is not when this is done. */
  async load(reference: OwnerReference, namespace: string, options: CallOptions): Promise<void> {
    const state = this.#current(reference) ?? (await this.#meet(reference, namespace, options));
    if (state?.kind !== 'watched' || this.#find(state, reference, namespace) !== undefined) return;
    await this.#read(state.of, reference, namespace, options);
  }

  /** The first of a kind. Who names an owner that is not there does not have its kind watched. */
  async #meet(
    reference: OwnerReference,
    namespace: string,
    options: CallOptions,
  ): Promise<KindState | undefined> {
    if (this.#isWorkload(reference)) return this.#open(reference, options);
    const { apiVersion, kind } = reference;
    try {
      const of = (await this.#mapper.byKind(apiVersion, kind)) as OwnerKind;
      const isThere = await this.#read(of, reference, namespace, options);
      return isThere ? await this.#open(reference, options) : undefined;
    } catch (error) {
      const useless = this.#uselessFor(error);
      if (useless === undefined) throw error;
      return this.#remember(reference, useless);
    }
  }

  async #read(
    of: OwnerKind,
    reference: OwnerReference,
    namespace: string,
    options: CallOptions,
  ): Promise<boolean> {
    const { name, uid } = reference;
    const ref = of.scope === 'Namespaced' ? { namespace, name } : { name };
    const asked = { ...options, metadataOnly: !this.#isWorkload(reference) };
    const found = await getOrUndefined(this.#options.client, of, ref, asked);
    if (found?.metadata.uid !== uid) {
      this.#miss(uid);
      return false;
    }
    if (this.#early.size >= MOST_KNOWN) this.#early.clear();
    this.#early.set(uid, found);
    return true;
  }

  #lookUp(reference: OwnerReference, namespace: string): OwnerLookup {
    if (this.#missing.has(reference.uid)) return { kind: 'missing' };
    const state = this.#kinds.get(nameOf(reference));
    if (state === undefined) return { kind: 'pending' };
    if (state.kind !== 'watched') {
      const isOld = state.until <= this.#options.clock.monotonic();
      return { kind: isOld ? 'pending' : state.kind };
    }
    const owner = this.#find(state, reference, namespace);
    return owner === undefined ? { kind: 'pending' } : { kind: 'found', owner };
  }

  #find(
    { of, informer }: Extract<KindState, { kind: 'watched' }>,
    { name, uid }: OwnerReference,
    namespace: string,
  ): KubeObject | undefined {
    const ref = of.scope === 'Namespaced' ? { namespace, name } : { name };
    const cached = informer.get(ref);
    if (cached?.metadata.uid === uid) return cached;
    return this.#early.get(uid);
  }

  #isWorkload({ apiVersion, kind }: OwnerReference): boolean {
    const { demand, components } = this.#options.interpreter.of(apiVersion, kind);
    return demand !== undefined || components !== undefined;
  }

  /** Those who ask at the same time share one answer, so nobody's signal may end it for the others. */
  #open(reference: OwnerReference, { signal }: CallOptions): Promise<KindState> {
    const name = nameOf(reference);
    const state = this.#current(reference);
    if (state !== undefined) return Promise.resolve(state);
    const opening =
      this.#opening.get(name) ??
      this.#watch(reference)
        .then((opened) => this.#remember(reference, opened))
        .finally(() => this.#opening.delete(name));
    this.#opening.set(name, opening);
    return orAborted(opening, signal);
  }

  #current(reference: OwnerReference): KindState | undefined {
    const state = this.#kinds.get(nameOf(reference));
    if (state === undefined || state.kind === 'watched') return state;
    return state.until > this.#options.clock.monotonic() ? state : undefined;
  }

  #remember(reference: OwnerReference, state: KindState): KindState {
    if (state.kind !== 'watched') {
      const useless = [...this.#kinds].filter(([, known]) => known.kind !== 'watched');
      for (const [name] of useless.slice(0, useless.length - MOST_USELESS)) {
        this.#kinds.delete(name);
      }
    }
    this.#kinds.set(nameOf(reference), state);
    return state;
  }

  /** That a kind cannot be read, if an error says that. */
  #uselessFor(error: unknown): KindState | undefined {
    const until = this.#options.clock.monotonic() + ASK_AGAIN_MS;
    if (error instanceof UnknownKindError || isNotServed(error)) return { kind: 'unknown', until };
    return isForbidden(error) ? { kind: 'unreadable', until } : undefined;
  }

  #isFull(): boolean {
    const watched = [...this.#kinds.values()].filter(({ kind }) => kind === 'watched');
    return watched.length >= MOST_WATCHED;
  }

  async #watch(reference: OwnerReference): Promise<KindState> {
    const { client, clock } = this.#options;
    const { apiVersion, kind } = reference;
    if (!this.#isWorkload(reference) && this.#isFull()) {
      return { kind: 'unreadable', until: clock.monotonic() + ASK_AGAIN_MS };
    }
    try {
      const of = (await this.#mapper.byKind(apiVersion, kind)) as OwnerKind;
      const selection = this.#isWorkload(reference) ? {} : { metadataOnly: true };
      // A watch that is not allowed would try for ever; a list says so.
      await client.list(of, { ...selection, limit: 1 });
      const informer = this.#informers?.for(of, selection);
      if (informer === undefined) throw new Error('owners are looked up before anybody watches');
      await informer.synced;
      this.#follow(informer);
      return { kind: 'watched', of, informer };
    } catch (error) {
      const useless = this.#uselessFor(error);
      if (useless === undefined) throw error;
      return useless;
    }
  }

  /** For as long as the informer lives. */
  #follow(informer: Informer<KubeObject>): void {
    const tell = (owner: KubeObject) => {
      for (const listener of this.#listeners) listener(owner);
    };
    informer.addHandler({
      onAdd: ({ metadata }) => void this.#early.delete(metadata.uid),
      onUpdate: (owner, before) => {
        if (!isAlike(owner, before)) tell(owner);
      },
      onDelete: (owner) => {
        this.#early.delete(owner.metadata.uid);
        this.#miss(owner.metadata.uid);
        tell(owner);
      },
    });
  }

  #miss(uid: string): void {
    if (this.#missing.size >= MOST_KNOWN) this.#missing.clear();
    this.#missing.add(uid);
  }
}
