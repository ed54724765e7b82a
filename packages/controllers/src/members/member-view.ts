import type { KubeObject } from '@perigee/api/meta/object-meta';
import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { Clock } from '@perigee/kube/clock/clock';
import { Informer } from '@perigee/kube/informer/informer';
import type { InformerHandler } from '@perigee/kube/informer/informer-handler';
import type { ServerTraits } from '@perigee/kube/informer/reflector';
import { MANAGED } from '@perigee/scheduling/placement/work/work-names';
import type { JsonObject } from '@perigee/schema/json';

/** An object in a member whose kind is only known by name. */
export type MemberObject = KubeObject & JsonObject;
export type MemberKind = ResourceKind<MemberObject, MemberObject>;

export interface MemberViewOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly handler: InformerHandler<MemberObject>;
}

interface Watched {
  readonly informer: Informer<MemberObject>;
  readonly users: Set<string>;
}

const nameOf = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

/** A client of a member, with the informers on it. */
export class MemberView implements AsyncDisposable {
  readonly client: Client;
  readonly #options: MemberViewOptions;
  readonly #mapper: RestMapper;
  readonly #server: ServerTraits = { initialEvents: true };
  readonly #kinds = new Map<string, MemberKind>();
  readonly #watches = new Map<string, Watched>();

  constructor(options: MemberViewOptions) {
    this.client = options.client;
    this.#options = options;
    this.#mapper = new RestMapper(options.client);
  }

  /** The kind, if it is cached; makes no request. */
  knownKind(apiVersion: string, kind: string): MemberKind | undefined {
    return this.#kinds.get(nameOf(apiVersion, kind));
  }

  /** Discovers how the member serves a kind. */
  async kindOf(apiVersion: string, kind: string, options?: CallOptions): Promise<MemberKind> {
    const presentKind = this.knownKind(apiVersion, kind);
    if (presentKind !== undefined) return presentKind;
    const { group, version, plural, scope } = await this.#mapper.byKind(apiVersion, kind, options);
    const memberKind: MemberKind = { group, version, kind, plural, scope };
    this.#kinds.set(nameOf(apiVersion, kind), memberKind);
    return memberKind;
  }

  /** Watches the managed objects of a kind as long as it has users. */
  watch(kind: MemberKind, user: string): Informer<MemberObject> {
    const key = nameOf(apiVersionOf(kind), kind.kind);
    const entry = this.#watches.get(key) ?? { informer: this.#start(kind), users: new Set() };
    this.#watches.set(key, entry);
    entry.users.add(user);
    return entry.informer;
  }

  /** The informer of a kind that is watched already. */
  watched(apiVersion: string, kind: string): Informer<MemberObject> | undefined {
    return this.#watches.get(nameOf(apiVersion, kind))?.informer;
  }

  /** Sets the kinds that a user needs; informers without users are stopped. */
  keepOnly(user: string, memberKinds: readonly MemberKind[]): void {
    const neededNames = new Set(memberKinds.map((kind) => nameOf(apiVersionOf(kind), kind.kind)));
    for (const [key, { informer, users }] of this.#watches) {
      if (neededNames.has(key) || !users.delete(user) || users.size > 0) continue;
      this.#watches.delete(key);
      void informer.stop();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const informers = Array.from(this.#watches.values(), ({ informer }) => informer);
    this.#watches.clear();
    await Promise.all(informers.map((informer) => informer.stop()));
  }

  #start(kind: MemberKind): Informer<MemberObject> {
    const { client, clock, handler } = this.#options;
    const selection = { labelSelector: `${MANAGED}=true` };
    const server = this.#server;
    const informer = new Informer<MemberObject>({ client, clock, kind, selection, server });
    informer.addHandler(handler);
    informer.start();
    return informer;
  }
}
