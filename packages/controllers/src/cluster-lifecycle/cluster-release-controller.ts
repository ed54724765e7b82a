import { Cluster } from '@perigee/api/kinds/karmada/cluster';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { placedOf } from '@perigee/scheduling/eviction/evict-cluster';
import { writeEviction } from '../graceful-eviction/write-eviction.ts';
import { BINDING_KINDS, type Binding, type BindingKind } from '../scheduler/binding.ts';
import { bindingsOn, clustersOf, placedOnCluster } from '../taint-eviction/placed-on-cluster.ts';

const FIELD_MANAGER = 'perigee-cluster-release';

/** No scheduler moves it away from a cluster that goes. */
const isLeftAlone = ({ spec }: Binding): boolean =>
  spec.suspension?.scheduling === true || spec.placement === undefined;

const clusterReleaseOf = (kind: BindingKind): ControllerDefinition =>
  defineController<Binding>({
    name: kind.scope === 'Namespaced' ? 'binding-release' : 'cluster-binding-release',
    for: kind,
    when: (now, before) =>
      now !== undefined && now.metadata.generation !== before?.metadata.generation,
    watches: [
      watch(Cluster, {
        map: bindingsOn(kind),
        when: (now) => now?.metadata.deletionTimestamp !== undefined,
      }),
    ],
    indexes: [placedOnCluster(kind)],
    async reconcile(ref, context) {
      const { cache } = context;
      const binding = cache(kind).get(ref);
      if (binding === undefined || !isLeftAlone(binding)) return undefined;
      const isGoing = (name: string) =>
        cache(Cluster).get({ name })?.metadata.deletionTimestamp !== undefined;
      if (!clustersOf(binding).some(isGoing)) return undefined;
      const { clusters, gracefulEvictionTasks } = placedOf(binding.spec);
      const placed = {
        clusters: clusters.filter(({ name }) => !isGoing(name)),
        gracefulEvictionTasks,
      };
      await writeEviction(kind, binding, { fieldManager: FIELD_MANAGER, placed }, context);
      return undefined;
    },
  });

/**
 * Takes clusters that go out of bindings that no scheduler would take them out of, so that a cluster never
 * waits for them for ever. One for each scope of bindings.
 */
export const clusterReleaseControllers = (): readonly ControllerDefinition[] =>
  BINDING_KINDS.map(clusterReleaseOf);
