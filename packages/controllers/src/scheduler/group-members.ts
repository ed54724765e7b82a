import { bindingName } from '@perigee/api/values/karmada-names';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
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

interface Decided {
  readonly resourceVersion: string;
  readonly clusters: ReadonlySet<string>;
}

const versionOf = (text: string): bigint => BigInt(text || '0');

/**
 * Where the members of groups are. What was decided a moment ago counts, also while the cache does not show
 * it yet: two members that are decided one after the other must see each other.
 */
export class GroupMembers {
  readonly #decided = new Map<string, Decided>();

  /** Takes note of a decision, as the server answered it. */
  decided(binding: Binding): void {
    const { metadata, spec } = binding;
    if (spec.workloadAffinityGroups === undefined) return;
    this.#decided.set(`${metadata.namespace ?? ''}/${metadata.name}`, {
      resourceVersion: metadata.resourceVersion,
      clusters: new Set((spec.clusters ?? []).map(({ name }) => name)),
    });
  }

  /** Forgets what the cache knows by now. */
  seen({ metadata }: Binding): void {
    const key = `${metadata.namespace ?? ''}/${metadata.name}`;
    const decided = this.#decided.get(key);
    if (decided === undefined) return;
    if (versionOf(metadata.resourceVersion) >= versionOf(decided.resourceVersion)) {
      this.#decided.delete(key);
    }
  }

  groups(cache: Caches, kind: BindingKind): WorkloadGroups {
    const others = (
      indexName: string,
      { spec }: PlacementRequest,
      group: string | undefined,
    ): readonly ReadonlySet<string>[] => {
      const { namespace = '', kind: resourceKind, name } = spec.resource;
      const own = bindingName(resourceKind, name);
      return keyOf(namespace, group)
        .flatMap((key) => cache(kind).byIndex(indexName, key))
        .filter(({ metadata }) => metadata.name !== own)
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
    const { metadata, spec } = binding;
    const decided = this.#decided.get(`${metadata.namespace ?? ''}/${metadata.name}`);
    const isNewer =
      decided !== undefined &&
      versionOf(decided.resourceVersion) > versionOf(metadata.resourceVersion);
    return isNewer ? decided.clusters : new Set((spec.clusters ?? []).map(({ name }) => name));
  }
}
