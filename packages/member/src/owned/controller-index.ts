import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { controllerOf } from '@perigee/api/values/owner-references';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { CachedObjects } from '@perigee/kube/controller/cached-objects';

const NAME = 'controller';

const orphansOf = (namespace: string | undefined): string => `nobody in ${namespace ?? ''}`;

const controllerKey = (object: KubeObject): readonly string[] => [
  controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace),
];

/** Indexes objects by the uid of their controller. */
export const controllerIndex = (kind: ResourceKind): CacheIndex => index(kind, NAME, controllerKey);

export const controlledBy = <T extends KubeObject>(
  cache: CachedObjects<T>,
  owner: KubeObject,
): readonly T[] => cache.byIndex(NAME, owner.metadata.uid);

/** Objects of a namespace that an owner controls, and orphans. */
export const controlledByOrFree = <T extends KubeObject>(
  cache: CachedObjects<T>,
  owner: KubeObject,
): readonly T[] => [
  ...controlledBy(cache, owner),
  ...cache.byIndex(NAME, orphansOf(owner.metadata.namespace)),
];
