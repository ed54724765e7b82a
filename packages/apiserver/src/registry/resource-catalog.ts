import type { ServedResource } from '../resource/served-resource.ts';

/** Where a resource is served. */
export interface ResourcePlace {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

const placeKey = ({ group, version, plural }: ResourcePlace): string =>
  `${group}/${version}/${plural}`;

/** Which resources a server serves now. Custom resources come and go while it runs. */
export class ResourceCatalog {
  readonly #byPlace = new Map<string, ServedResource>();
  #generation = 0;

  constructor(resources: Iterable<ServedResource> = []) {
    for (const resource of resources) this.serve(resource);
  }

  /** Grows with every change: what is derived from the catalog may be kept until then. */
  get generation(): number {
    return this.#generation;
  }

  /** Serves the resource, in the place of the one that was served there before. */
  serve(resource: ServedResource): void {
    this.#byPlace.set(placeKey(resource), resource);
    this.#generation += 1;
  }

  withdraw(place: ResourcePlace): void {
    if (this.#byPlace.delete(placeKey(place))) this.#generation += 1;
  }

  find(place: ResourcePlace): ServedResource | undefined {
    return this.#byPlace.get(placeKey(place));
  }

  values(): readonly ServedResource[] {
    return [...this.#byPlace.values()];
  }
}
