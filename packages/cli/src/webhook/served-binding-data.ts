import type { JsonObject } from '@perigee/api/json';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { Clock } from '@perigee/kube/clock/clock';
import { ApiError, UnknownKindError } from '@perigee/kube/errors';
import type { Informer } from '@perigee/kube/informer/informer';
import { InformerSet } from '@perigee/kube/informer/informer-set';
import { carryData } from '@perigee/scheduling/data/carry-data';
import { claimData } from '@perigee/scheduling/data/claim-data';
import { type ClaimFinder, claimKey, claimsOf } from '@perigee/scheduling/data/concerned-work';
import { locatedCluster } from '@perigee/scheduling/data/locality';

const BY_WORK = 'by-work';

const finderAmong = (claims: readonly DataSourceClaim[]): ClaimFinder => {
  const byKey = Map.groupBy(claims, claimKey);
  return {
    byKey: (key) => byKey.get(key) ?? [],
    byName: (_, name) => claims.find(({ metadata }) => metadata.name === name),
  };
};

interface Heard extends AsyncDisposable {
  readonly claims: Informer<DataSourceClaim>;
  readonly sources: Informer<DataSource>;
  readonly clusters: Informer<MemberCluster>;
}

const finderIn = (claims: Informer<DataSourceClaim>): ClaimFinder => ({
  byKey: (key) => claims.byIndex(BY_WORK, key),
  byName: (namespace, name) => claims.get({ namespace, name }),
});

/** So long it is taken for true that a server knows no claims. */
const RECHECK_MS = 10_000;

/**
 * Lets bindings carry the data of their claims, by what an API server says. A new binding is held, or not, by the
 * claims that the server has at this moment. One that is there is judged by what was last heard: if that is late, it
 * is written once more when the news are here. Where claims are not served, bindings stay as they are.
 */
export class ServedBindingData implements AsyncDisposable {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #mapper: RestMapper;
  #heard: Promise<Heard> | undefined;
  #recheckAt = 0;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    this.#mapper = new RestMapper(client);
  }

  async carry(object: JsonObject, old: JsonObject | undefined): Promise<JsonObject> {
    const [draft, before] = [object, old] as never as [
      ResourceBinding,
      ResourceBinding | undefined,
    ];
    const { resource } = draft.spec ?? {};
    if (resource?.namespace === undefined) return object;
    const heard = await this.#listen();
    if (heard === undefined) return object;
    const { namespace } = resource;
    const known =
      before === undefined
        ? (await listAll(this.#client, DataSourceClaim, { namespace })).items
        : heard.claims.listNamespace(namespace);
    const labels = known.length === 0 ? undefined : await this.#labelsOf(resource);
    const finder = before === undefined ? finderAmong(known) : finderIn(heard.claims);
    const binding = { metadata: before?.metadata ?? {}, spec: draft.spec };
    const claims = claimsOf({ binding, labels }, finder);
    const sources = await this.#sourcesOf(claims, heard);
    const clusters = new Map(
      heard.clusters.list().map((cluster) => [cluster.metadata.name, locatedCluster(cluster)]),
    );
    const world = { source: (name: string) => sources.get(name), clusters: () => clusters };
    const data = claims.map((claim) => claimData(claim, world));
    return carryData(draft, before, data) as never as JsonObject;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#heard)?.[Symbol.asyncDispose]();
  }

  /** Nothing while the server does not know claims: then there are none. */
  async #listen(): Promise<Heard | undefined> {
    if (this.#heard === undefined && !(await this.#isServed())) return undefined;
    this.#heard ??= this.#open();
    return this.#heard;
  }

  async #isServed(): Promise<boolean> {
    const now = this.#clock.now();
    if (now < this.#recheckAt) return false;
    if (await this.#resourceOf(apiVersionOf(DataSourceClaim), DataSourceClaim.kind)) return true;
    this.#recheckAt = now + RECHECK_MS;
    return false;
  }

  async #open(): Promise<Heard> {
    const informers = new InformerSet({ client: this.#client, clock: this.#clock });
    const claims = informers.for(DataSourceClaim);
    claims.addIndexer(BY_WORK, (claim) => [claimKey(claim)]);
    const [sources, clusters] = [informers.for(DataSource), informers.for(MemberCluster)];
    await informers.synced();
    return { claims, sources, clusters, [Symbol.asyncDispose]: () => informers.stop() };
  }

  async #resourceOf(apiVersion: string, kind: string): Promise<ResourceKind | undefined> {
    try {
      return await this.#mapper.byKind(apiVersion, kind);
    } catch (error) {
      if (error instanceof UnknownKindError) return undefined;
      throw error;
    }
  }

  /** Nothing also for a kind that the webhook may not read: what it carries already then stays. */
  async #labelsOf({ apiVersion, kind, namespace, name }: BoundResource) {
    const resource = await this.#resourceOf(apiVersion, kind);
    if (resource === undefined) return undefined;
    const at = namespace === undefined ? { name } : { namespace, name };
    try {
      const found = await getOrUndefined(this.#client, resource as ResourceKind<KubeObject>, at);
      return found && (found.metadata.labels ?? {});
    } catch (error) {
      if (error instanceof ApiError && error.code === 403) return undefined;
      throw error;
    }
  }

  /** A claim may be bound to a source of which nothing was heard yet. */
  async #sourcesOf(claims: readonly DataSourceClaim[], { sources }: Heard) {
    const found = new Map<string, DataSource>();
    for (const { status } of claims) {
      const { boundDataSource: name } = status ?? {};
      if (name === undefined || found.has(name)) continue;
      const source =
        sources.get({ name }) ?? (await getOrUndefined(this.#client, DataSource, { name }));
      if (source !== undefined) found.set(name, source);
    }
    return found;
  }
}
