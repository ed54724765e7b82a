import type { JsonObject } from '@perigee/schema/json';
import type { ConversionWorld } from '../conversion/webhook-converter.ts';
import { isCrdConditionTrue, readCrd } from '../crd/crd.ts';
import { servedResources } from '../crd/served-resources.ts';
import { storedMetaOf } from '../registry/metadata.ts';
import type { ResourceCatalog } from '../registry/resource-catalog.ts';
import type { ServedResource } from '../resource/served-resource.ts';

interface Shown {
  /** Changes with each change of the served resources. */
  readonly likeness: string;
  readonly resources: readonly ServedResource[];
}

const NOTHING: Shown = { likeness: '', resources: [] };

const likenessOf = (crd: JsonObject): string => {
  const { uid, generation } = storedMetaOf(crd);
  const read = readCrd(crd);
  if (!isCrdConditionTrue(read, 'Established')) return NOTHING.likeness;
  const isTerminating = isCrdConditionTrue(read, 'Terminating');
  return JSON.stringify([uid, generation, read.acceptedNames, isTerminating]);
};

export interface CustomResourcesOptions {
  /** Adds parts to a resource that its definition cannot express. */
  readonly adapt?: (resource: ServedResource) => ServedResource;
  /** Dependencies of conversion webhooks; without them none is called. */
  readonly conversions?: ConversionWorld;
}

/** The part of a catalog that follows from CustomResourceDefinitions. */
export class CustomResources {
  readonly #catalog: ResourceCatalog;
  readonly #adapt: (resource: ServedResource) => ServedResource;
  readonly #conversions: ConversionWorld | undefined;
  readonly #resourcesByCrd = new Map<string, Shown>();

  constructor(
    catalog: ResourceCatalog,
    { adapt = (resource) => resource, conversions }: CustomResourcesOptions = {},
  ) {
    this.#catalog = catalog;
    this.#adapt = adapt;
    this.#conversions = conversions;
  }

  /** Serves the resources of an established definition, and withdraws its former ones. */
  show(crd: JsonObject): void {
    const { name } = storedMetaOf(crd);
    const { likeness, resources: before } = this.#resourcesByCrd.get(name) ?? NOTHING;
    const next = likenessOf(crd);
    if (next === likeness) return;
    const resources = next === NOTHING.likeness ? [] : this.#resourcesOf(crd);
    this.#withdraw(before, resources);
    for (const resource of resources) this.#catalog.serve(resource);
    this.#resourcesByCrd.set(name, { likeness: next, resources });
  }

  /** Withdraws the resources of a definition. */
  hide(name: string): void {
    this.#withdraw(this.#resourcesByCrd.get(name)?.resources ?? [], []);
    this.#resourcesByCrd.delete(name);
  }

  /** Resources of a definition, which never replace built-in ones. */
  #resourcesOf(crd: JsonObject): readonly ServedResource[] {
    return servedResources(crd, this.#conversions)
      .filter((resource) => this.#catalog.find(resource)?.origin !== 'built-in')
      .map(this.#adapt);
  }

  #withdraw(before: readonly ServedResource[], now: readonly ServedResource[]): void {
    const stays = new Set(now.map(({ version }) => version));
    for (const resource of before) {
      if (!stays.has(resource.version)) this.#catalog.withdraw(resource);
    }
  }
}
