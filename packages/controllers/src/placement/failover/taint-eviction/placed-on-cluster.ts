import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { objectKey } from '@perigee/kube/informer/object-key';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';

const ON_CLUSTER = 'placed-on-cluster';

const clustersOf = ({ spec }: Binding): readonly string[] =>
  (spec.clusters ?? []).map(({ name }) => name);

/** Finds bindings by the clusters that they are placed on. */
export const placedOnCluster = (kind: BindingKind): CacheIndex =>
  index(kind, ON_CLUSTER, clustersOf);

const byKey = (a: ObjectRef, b: ObjectRef): number => (objectKey(a) < objectKey(b) ? -1 : 1);

/** The bindings that are placed on a cluster, by name: the order of their eviction. */
export const bindingsOn =
  (kind: BindingKind) =>
  ({ metadata }: { readonly metadata: ObjectRef }, cache: Caches): readonly ObjectRef[] =>
    cache(kind).byIndex(ON_CLUSTER, metadata.name).map(refOf).sort(byKey);
