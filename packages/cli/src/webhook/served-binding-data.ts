import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Informer } from '@perigee/kube/informer/informer';
import { InformerSet } from '@perigee/kube/informer/informer-set';
import { carryData } from '@perigee/scheduling/data/carry-data';
import { claimData } from '@perigee/scheduling/data/claim-data';
import { type ClaimFinder, claimKey, claimsOf } from '@perigee/scheduling/data/concerned-work';
import { locatedCluster } from '@perigee/scheduling/data/locality';
import type { JsonObject } from '@perigee/schema/json';
import { ServedTemplates } from './served-templates.ts';

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

/** Time for which a failed discovery of claims is cached. */
const RECHECK_MS = 10_000;

/**
 * Adds the data of their claims to bindings, from the state of an API server. For a new binding the claims are
 * listed at this moment, so that it is held reliably. An existing one is judged by the cache; if that is stale, the
 * binding is written again when the event arrives. Where claims are not served, bindings stay as they are.
 */
export class ServedBindingData implements AsyncDisposable {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #templates: ServedTemplates;
  #heard: Promise<Heard> | undefined;
  #recheckAt = 0;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    this.#templates = new ServedTemplates(client);
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
    const knownClaims =
      before === undefined
        ? (await listAll(this.#client, DataSourceClaim, { namespace })).items
        : heard.claims.listNamespace(namespace);
    const labels = knownClaims.length === 0 ? undefined : await this.#labelsOf(resource);
    const finder = before === undefined ? finderAmong(knownClaims) : finderIn(heard.claims);
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

  /** Undefined while the server does not serve claims. */
  async #listen(): Promise<Heard | undefined> {
    if (this.#heard === undefined && !(await this.#isServed())) return undefined;
    this.#heard ??= this.#open();
    return this.#heard;
  }

  async #isServed(): Promise<boolean> {
    const now = this.#clock.now();
    if (now < this.#recheckAt) return false;
    if (await this.#templates.resourceOf(apiVersionOf(DataSourceClaim), DataSourceClaim.kind))
      return true;
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

  /** Undefined also for a kind that the webhook may not read: the binding keeps the data it carries. */
  async #labelsOf(resource: BoundResource) {
    const template = await this.#templates.read(resource);
    return template && (template.metadata.labels ?? {});
  }

  /** Reads sources that the cache does not have yet. */
  async #sourcesOf(claims: readonly DataSourceClaim[], { sources }: Heard) {
    const sourceByName = new Map<string, DataSource>();
    for (const { status } of claims) {
      const { boundDataSource: name } = status ?? {};
      if (name === undefined || sourceByName.has(name)) continue;
      const source =
        sources.get({ name }) ?? (await getOrUndefined(this.#client, DataSource, { name }));
      if (source !== undefined) sourceByName.set(name, source);
    }
    return sourceByName;
  }
}
