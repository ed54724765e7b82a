import type { KubeObject, OwnerReference } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import type { ApiResource } from '@perigee/kube/client/discovery';
import { orAborted } from '@perigee/kube/client/or-aborted';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { Clock } from '@perigee/kube/clock/clock';
import { isForbidden, isNotServed, UnknownKindError } from '@perigee/kube/errors';
import type { Informer } from '@perigee/kube/informer/informer';
import type { InformerSet } from '@perigee/kube/informer/informer-set';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';

export type OwnerKind = ResourceKind<KubeObject>;

/** A kind with a running informer. */
export interface WatchedKind {
  readonly kind: 'watched';
  readonly of: OwnerKind;
  readonly informer: Informer<KubeObject>;
}

type KindState = WatchedKind | { readonly kind: 'unreadable' | 'unknown'; readonly until: number };

export interface OwnerKindsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly interpreter: Interpreter;
  /** Called for each kind when its watch starts. */
  readonly onWatched: (kind: WatchedKind) => void;
}

/** A kind that was unreadable is retried after this time, as it may have been installed or allowed since. */
const ASK_AGAIN_MS = 60_000;
/** Maximum number of watched kinds other than workloads; further ones count as unreadable. */
const MOST_WATCHED = 100;
/** Maximum number of cached unreadable kinds: authors of pods can name any kind as an owner. */
const MOST_USELESS = 1000;
/** Discovery is cached for this time, so that bogus kinds do not cause a request each. */
const DISCOVERED_FOR_MS = 5000;

const nameOf = ({ apiVersion, kind }: OwnerReference): string => `${apiVersion} ${kind}`;

/** Rate-limits discovery. */
const seldomDiscovered = ({ client, clock }: OwnerKindsOptions): Pick<Client, 'discover'> => {
  let last: { readonly at: number; readonly kinds: readonly ApiResource[] } | undefined;
  return {
    discover: async (options) => {
      const now = clock.monotonic();
      if (last !== undefined && now - last.at < DISCOVERED_FOR_MS) return last.kinds;
      const kinds = await client.discover(options);
      last = { at: now, kinds };
      return kinds;
    },
  };
};

/** The kinds that own pods: each is watched once, by its metadata, or in full if the interpreter knows it. */
export class OwnerKinds {
  readonly #options: OwnerKindsOptions;
  readonly #mapper: RestMapper;
  readonly #watchedKinds = new Map<string, WatchedKind>();
  readonly #useless = new Map<string, Exclude<KindState, WatchedKind>>();
  readonly #opening = new Map<string, Promise<KindState>>();
  #informers: InformerSet | undefined;

  constructor(options: OwnerKindsOptions) {
    this.#options = options;
    this.#mapper = new RestMapper(seldomDiscovered(options));
  }

  /** Sets the informers to watch with. */
  connect(informers: InformerSet): void {
    if (this.#informers === informers) return;
    this.#informers = informers;
    this.#watchedKinds.clear();
    this.#useless.clear();
    this.#opening.clear();
  }

  /** The state of a kind; undefined if it has to be looked up. */
  current(reference: OwnerReference): KindState | undefined {
    const name = nameOf(reference);
    const watchedKind = this.#watchedKinds.get(name);
    if (watchedKind !== undefined) return watchedKind;
    const useless = this.#useless.get(name);
    const isOld = useless !== undefined && useless.until <= this.#options.clock.monotonic();
    return isOld ? undefined : useless;
  }

  isWorkload({ apiVersion, kind }: OwnerReference): boolean {
    const { demand, components } = this.#options.interpreter.of(apiVersion, kind);
    return demand !== undefined || components !== undefined;
  }

  /** Handles the first reference to a kind. The kind is only watched if that owner exists. */
  async meet(
    reference: OwnerReference,
    isThere: (of: OwnerKind) => Promise<boolean>,
    options: CallOptions,
  ): Promise<KindState | undefined> {
    if (this.isWorkload(reference)) return this.#open(reference, options);
    const { apiVersion, kind } = reference;
    try {
      const of = (await this.#mapper.byKind(apiVersion, kind)) as OwnerKind;
      return (await isThere(of)) ? await this.#open(reference, options) : undefined;
    } catch (error) {
      return this.#remember(reference, this.#uselessFor(error));
    }
  }

  /** Concurrent callers share one result, so no caller's signal may abort it. */
  #open(reference: OwnerReference, { signal }: CallOptions): Promise<KindState> {
    const name = nameOf(reference);
    const state = this.current(reference);
    if (state !== undefined) return Promise.resolve(state);
    const opening =
      this.#opening.get(name) ??
      this.#watch(reference)
        .then((outcome) => this.#remember(reference, outcome))
        .finally(() => this.#opening.delete(name));
    this.#opening.set(name, opening);
    return orAborted(opening, signal);
  }

  #remember(reference: OwnerReference, state: KindState): KindState {
    const name = nameOf(reference);
    if (state.kind === 'watched') {
      this.#watchedKinds.set(name, state);
      return state;
    }
    const [oldest] = this.#useless.keys();
    if (oldest !== undefined && this.#useless.size >= MOST_USELESS) this.#useless.delete(oldest);
    this.#useless.set(name, state);
    return state;
  }

  /** The state "unreadable" or "unknown", if the error means that; throws other errors. */
  #uselessFor(error: unknown): KindState {
    const until = this.#options.clock.monotonic() + ASK_AGAIN_MS;
    if (error instanceof UnknownKindError || isNotServed(error)) return { kind: 'unknown', until };
    if (isForbidden(error)) return { kind: 'unreadable', until };
    throw error;
  }

  async #watch(reference: OwnerReference): Promise<KindState> {
    const { client, clock, onWatched } = this.#options;
    const { apiVersion, kind } = reference;
    if (!this.isWorkload(reference) && this.#watchedKinds.size >= MOST_WATCHED) {
      return { kind: 'unreadable', until: clock.monotonic() + ASK_AGAIN_MS };
    }
    try {
      const of = (await this.#mapper.byKind(apiVersion, kind)) as OwnerKind;
      const selection = this.isWorkload(reference) ? {} : { metadataOnly: true };
      // Lists first: a forbidden watch would only retry for ever.
      await client.list(of, { ...selection, limit: 1 });
      const informer = this.#informers?.for(of, selection);
      if (informer === undefined) throw new Error('owners are looked up before anybody watches');
      await informer.synced;
      const watchedKind: WatchedKind = { kind: 'watched', of, informer };
      onWatched(watchedKind);
      return watchedKind;
    } catch (error) {
      return this.#uselessFor(error);
    }
  }
}
