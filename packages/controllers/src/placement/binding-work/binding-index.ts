import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import { Work } from '@perigee/api/kinds/placement/work';
import type { ObjectRef } from '@perigee/kube/client/client';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { TenantOf } from '@perigee/kube/controller/define-controller';
import { objectKey } from '@perigee/kube/informer/object-key';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { expectedClusters } from '@perigee/scheduling/placement/work/targets';
import {
  BINDING_NAME,
  BINDING_NAMESPACE,
  CLUSTER_BINDING_NAME,
} from '@perigee/scheduling/placement/work/work-names';

/** The binding that a Work belongs to; the kind decides between the scopes. */
export const bindingOf = ({ metadata }: Work, kind: BindingKind): ObjectRef | undefined => {
  const { annotations = {} } = metadata;
  if (kind.scope === 'Cluster') {
    const name = annotations[CLUSTER_BINDING_NAME];
    return name ? { name } : undefined;
  }
  const { [BINDING_NAMESPACE]: namespace, [BINDING_NAME]: name } = annotations;
  return namespace && name ? { namespace, name } : undefined;
};

/** The tenant of a Work: the namespace of its binding, not its execution namespace. */
export const tenantOfWork: TenantOf = (ref, cache) =>
  cache(Work).get(ref)?.metadata.annotations?.[BINDING_NAMESPACE] ?? '';

const WORKS = 'works-of-binding';

const bindingKeysOf = ({ metadata: { annotations = {} } }: Work): readonly string[] => {
  const { [BINDING_NAMESPACE]: namespace, [BINDING_NAME]: name } = annotations;
  const wide = annotations[CLUSTER_BINDING_NAME];
  return [...(namespace && name ? [`${namespace}/${name}`] : []), ...(wide ? [wide] : [])];
};

/** Finds Works by their binding. */
export const worksOfBinding: CacheIndex = index(Work, WORKS, bindingKeysOf);

/** The key of `worksOfBinding`, and the name of that index. */
export const worksKey = (binding: ObjectRef): readonly [index: string, key: string] => [
  WORKS,
  objectKey(binding),
];

export const BY_CLUSTER = 'expected-cluster';
export const BY_RESOURCE = 'bound-resource';

const expectedClustersOf = ({ spec }: Binding): readonly string[] => [...expectedClusters(spec)];

/** From the widest key to the narrowest: all, a namespace, a kind, a kind in a namespace, one by name. */
const resourceKeysOf = ({ spec: { resource } }: Binding): readonly string[] => {
  const { apiVersion, kind, namespace, name } = resource;
  return [
    '',
    resourceKey({ namespace }),
    resourceKey({ apiVersion, kind }),
    resourceKey({ apiVersion, kind, namespace }),
    resourceKey({ apiVersion, kind, name }),
    resourceKey({ apiVersion, kind, namespace, name }),
  ];
};

/** The index key of bindings by their resource; omitted fields match any value. */
export const resourceKey = (resource: Partial<BoundResource>): string => {
  const { apiVersion = '', kind = '', namespace = '', name = '' } = resource;
  return apiVersion + kind + namespace + name === ''
    ? ''
    : [apiVersion, kind, namespace, name].join(' ');
};

/** Indexes bindings by the clusters that they use, and by their resource. */
export const bindingIndexes = (kind: BindingKind): readonly CacheIndex[] => [
  index(kind, BY_CLUSTER, expectedClustersOf),
  index(kind, BY_RESOURCE, resourceKeysOf),
];
