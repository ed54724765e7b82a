import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { objectKey } from '../informer/object-key.ts';
import { isOlderVersion } from '../informer/resource-version.ts';
import type { Source } from './source.ts';

const isNewer = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.uid === b.metadata.uid &&
  isOlderVersion(b.metadata.resourceVersion, a.metadata.resourceVersion);

/**
 * Writes of a controller that its cache does not show yet, so that it neither decides twice nor
 * writes on top of what it does not know. Nothing is kept once the cache has it.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #lastWrites = new Map<string, T>();

  /** Takes note of an object as the server answered a write of it; `cached` is what the cache has now. */
  note(object: T, cached: T | undefined): void {
    // A cache that has lost the object, or has it as new, will send no event that ends the note.
    if (cached === undefined || !isNewer(object, cached)) return;
    this.#lastWrites.set(objectKey(object.metadata), object);
  }

  /** The cached object, unless what was written is newer. */
  newest(cached: T): T {
    const lastWrite = this.#lastWrites.get(objectKey(cached.metadata));
    return lastWrite !== undefined && isNewer(lastWrite, cached) ? lastWrite : cached;
  }

  /** True if the cached object is from before the last write; the cache will show a newer one soon. */
  isStale(cached: T): boolean {
    return this.newest(cached) !== cached;
  }

  /** Forgets what the cache shows. It has to be among the controller's `watches`. */
  seenBy(kind: ResourceKind<T>): Source {
    const forget = (cached: T) => {
      const key = objectKey(cached.metadata);
      const lastWrite = this.#lastWrites.get(key);
      if (lastWrite !== undefined && !isNewer(lastWrite, cached)) this.#lastWrites.delete(key);
    };
    return {
      kinds: [kind],
      start: ({ informers }) =>
        informers.for(kind).addHandler({
          onAdd: forget,
          onUpdate: forget,
          onDelete: ({ metadata }) => void this.#lastWrites.delete(objectKey(metadata)),
        }),
    };
  }
}
