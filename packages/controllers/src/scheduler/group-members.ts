import { bindingName } from '@perigee/api/values/karmada-names';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { OwnWrites } from '@perigee/kube/controller/own-writes';
import type { WorkloadGroups } from '@perigee/scheduling/placement/filter';
import type { PlacementRequest } from '@perigee/scheduling/placement/placement-request';
import type { Binding, BindingKind } from './binding.ts';

const AFFINE = 'affinity-group';
const AVERSE = 'anti-affinity-group';

const keyOf = (namespace: string, group: string | undefined): readonly string[] =>
  group ? [`${namespace}/${group}`] : [];

/** Finds the bindings of a group. */
export const groupIndexes = (kind: BindingKind): readonly CacheIndex[] => [
  index(kind, AFFINE, ({ metadata, spec }) =>
    keyOf(metadata.namespace ?? '', spec.workloadAffinityGroups?.affinityGroup),
  ),
  index(kind, AVERSE, ({ metadata, spec }) =>
    keyOf(metadata.namespace ?? '', spec.workloadAffinityGroups?.antiAffinityGroup),
  ),
];

const clustersOf = ({ spec }: Binding): ReadonlySet<string> =>
  new Set((spec.clusters ?? []).map(({ name }) => name));

/**
 * Where the members of groups are. What was decided a moment ago counts, also while the cache does not show
 * it yet: two members that are decided one after the other must see each other.
 */
export const groupMembers = (
  cache: Caches,
  kind: BindingKind,
  own: OwnWrites<Binding>,
): WorkloadGroups => {
  const others = (
    indexName: string,
    { spec }: PlacementRequest,
    group: string | undefined,
  ): readonly ReadonlySet<string>[] => {
    const { namespace = '', kind: resourceKind, name } = spec.resource;
    const self = bindingName(resourceKind, name);
    return keyOf(namespace, group)
      .flatMap((key) => cache(kind).byIndex(indexName, key))
      .filter(({ metadata }) => metadata.name !== self)
      .map((binding) => clustersOf(own.newest(binding)));
  };
  return {
    affine: (request) =>
      others(AFFINE, request, request.spec.workloadAffinityGroups?.affinityGroup),
    averse: (request) =>
      others(AVERSE, request, request.spec.workloadAffinityGroups?.antiAffinityGroup),
  };
};
