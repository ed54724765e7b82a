import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { refOf } from '@perigee/kube/client/ref-of';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { isLeftBehind } from '@perigee/scheduling/clusters/lifecycle/going-cluster';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { placedOf } from '@perigee/scheduling/placement/failover/evict-cluster';
import { writeEviction } from '../../placement/failover/graceful-eviction/write-eviction.ts';

const FIELD_MANAGER = 'perigee-cluster-release';
const NAMED = 'named-cluster';

const namedBy = ({ spec }: Binding): readonly string[] => [
  ...(spec.clusters ?? []).map(({ name }) => name),
  ...(spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster),
];

/**
 * Removes clusters that are unregistered with force from bindings, including those that no scheduler reschedules,
 * so that the removal waits for nobody.
 */
export const clusterReleaseController = (kind: BindingKind): ControllerDefinition =>
  defineController<Binding>({
    name: kind.scope === 'Namespaced' ? 'binding-release' : 'cluster-binding-release',
    for: kind,
    when: (now, before) =>
      now !== undefined && now.metadata.generation !== before?.metadata.generation,
    watches: [
      watch(MemberCluster, {
        map: ({ metadata }, cache) => cache(kind).byIndex(NAMED, metadata.name).map(refOf),
        when: isLeftBehind,
      }),
    ],
    indexes: [index(kind, NAMED, namedBy)],
    async reconcile(ref, context) {
      const { cache } = context;
      const binding = cache(kind).get(ref);
      if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) {
        return undefined;
      }
      const isLeft = (name: string) => isLeftBehind(cache(MemberCluster).get({ name }));
      if (!namedBy(binding).some(isLeft)) return undefined;
      const { clusters, gracefulEvictionTasks } = placedOf(binding.spec);
      const placed = {
        clusters: clusters.filter(({ name }) => !isLeft(name)),
        gracefulEvictionTasks: gracefulEvictionTasks.filter(
          ({ fromCluster }) => !isLeft(fromCluster),
        ),
      };
      await writeEviction(kind, binding, { fieldManager: FIELD_MANAGER, placed }, context);
      return undefined;
    },
  });
