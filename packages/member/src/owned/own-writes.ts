import type { KubeObject } from '@perigee/api/meta/object-meta';
import { isOlderVersion } from '@perigee/kube/informer/resource-version';

/** Remembers what a controller wrote, so that it does not decide by a cache that is older. */
export class OwnWrites {
  readonly #versions = new Map<string, string>();

  /** Gives back what was written. */
  note<T extends KubeObject>(written: T): T {
    const { uid, resourceVersion } = written.metadata;
    this.#versions.set(uid, resourceVersion);
    return written;
  }

  /** Whether the object is from before the last write; the cache will show a newer one soon. */
  isStale(cached: KubeObject): boolean {
    const last = this.#versions.get(cached.metadata.uid);
    if (last === undefined) return false;
    if (isOlderVersion(cached.metadata.resourceVersion, last)) return true;
    this.#versions.delete(cached.metadata.uid);
    return false;
  }
}
