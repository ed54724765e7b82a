import type { ServedResource } from '../resource/served-resource.ts';

/** API group, version and plural of a resource. */
export interface ResourcePlace {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

const placeKey = ({ group, version, plural }: ResourcePlace): string =>
  `${group}/${version}/${plural}`;

/** The resources that a server serves now. Custom resources are added and removed while it runs. */
export class ResourceCatalog {
  #byPlace = new Map<string, ServedResource>();
  /** True if another catalog has the same map, which then must not change. */
  #isShared = false;
  #values: readonly ServedResource[] | undefined;
  /** Callbacks by place, for readers whose representation ends when the resource changes. */
  readonly #readers = new Map<string, Set<() => void>>();
  #generation = 0;

  constructor(resources: Iterable<ServedResource> = []) {
    for (const resource of resources) this.serve(resource);
  }

  /** Grows with every change: caches of derived data are valid until then. */
  get generation(): number {
    return this.#generation;
  }

  /** A copy-on-write catalog with the same resources. */
  fork(): ResourceCatalog {
    const fork = new ResourceCatalog();
    fork.#byPlace = this.#byPlace;
    fork.#values = this.values();
    fork.#isShared = true;
    this.#isShared = true;
    return fork;
  }

  /** Serves a resource, in place of the former one at its path. */
  serve(resource: ServedResource): void {
    const key = placeKey(resource);
    const before = this.#byPlace.get(key);
    this.#change().set(key, resource);
    if (before?.definition !== resource.definition) this.#stop(key);
  }

  withdraw(place: ResourcePlace): void {
    const key = placeKey(place);
    if (!this.#byPlace.has(key)) return;
    this.#change().delete(key);
    this.#stop(key);
  }

  find(place: ResourcePlace): ServedResource | undefined {
    return this.#byPlace.get(placeKey(place));
  }

  /** Calls back once when the resource is withdrawn, or its definition changes. */
  whenChanged(resource: ServedResource, stop: () => void): Disposable {
    const key = placeKey(resource);
    const all = this.#readers.get(key) ?? new Set();
    this.#readers.set(key, all.add(stop));
    const servedResource = this.#byPlace.get(key);
    if (servedResource?.definition !== resource.definition || servedResource === undefined) stop();
    return {
      [Symbol.dispose]: () => {
        all.delete(stop);
        if (all.size === 0 && this.#readers.get(key) === all) this.#readers.delete(key);
      },
    };
  }

  /** All of them: the same array as long as nothing changes, also in forks. */
  values(): readonly ServedResource[] {
    this.#values ??= [...this.#byPlace.values()];
    return this.#values;
  }

  #change(): Map<string, ServedResource> {
    if (this.#isShared) this.#byPlace = new Map(this.#byPlace);
    this.#isShared = false;
    this.#values = undefined;
    this.#generation += 1;
    return this.#byPlace;
  }

  #stop(key: string): void {
    const all = this.#readers.get(key);
    this.#readers.delete(key);
    for (const stop of all ?? []) stop();
  }
}
