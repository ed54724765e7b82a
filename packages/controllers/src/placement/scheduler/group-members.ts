import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { isSameResource } from '@perigee/api/values/karmada-names';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { OwnWrites } from '@perigee/kube/controller/own-writes';
import { objectKey } from '@perigee/kube/informer/object-key';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import type { WorkloadGroups } from '@perigee/scheduling/placement/scheduler/filter';
import type { PlacementRequest } from '@perigee/scheduling/placement/scheduler/placement-request';
import type { Decision } from '@perigee/scheduling/placement/scheduler/schedule';

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

const namesOf = (clusters: BindingSpec['clusters']): ReadonlySet<string> =>
  new Set((clusters ?? []).map(({ name }) => name));

/**
 * The clusters of group members. A decision counts at once, before it is written and before the cache shows it: members
 * that are decided one after the other must see each other.
 */
export class GroupMembers {
  readonly #kind: BindingKind;
  readonly #own: OwnWrites<Binding>;
  readonly #decided = new Map<string, ReadonlySet<string>>();

  constructor(kind: BindingKind, own: OwnWrites<Binding>) {
    this.#kind = kind;
    this.#own = own;
  }

  /** Until disposed, other members of the group see the decided clusters of the binding. */
  decided({ metadata, spec }: Binding, { outcome }: Decision): Disposable | undefined {
    if (spec.workloadAffinityGroups === undefined || outcome.kind !== 'placed') return undefined;
    const key = objectKey(metadata);
    this.#decided.set(key, namesOf(outcome.clusters));
    return { [Symbol.dispose]: () => void this.#decided.delete(key) };
  }

  groups(cache: Caches): WorkloadGroups {
    const others = (
      indexName: string,
      { spec }: PlacementRequest,
      group: string | undefined,
    ): readonly ReadonlySet<string>[] => {
      const { resource } = spec;
      return keyOf(resource.namespace ?? '', group)
        .flatMap((key) => cache(this.#kind).byIndex(indexName, key))
        .filter((other) => !isSameResource(other.spec.resource, resource))
        .map((binding) => this.#clustersOf(binding));
    };
    return {
      affine: (request) =>
        others(AFFINE, request, request.spec.workloadAffinityGroups?.affinityGroup),
      averse: (request) =>
        others(AVERSE, request, request.spec.workloadAffinityGroups?.antiAffinityGroup),
    };
  }

  #clustersOf(binding: Binding): ReadonlySet<string> {
    const decided = this.#decided.get(objectKey(binding.metadata));
    return decided ?? namesOf(this.#own.newest(binding).spec.clusters);
  }
}
