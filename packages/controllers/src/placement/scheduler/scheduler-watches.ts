import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { isGoing } from '@perigee/scheduling/clusters/lifecycle/going-cluster';
import { takesWork } from '@perigee/scheduling/clusters/sharding/takes-part';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { clusterChange, usableBy } from '@perigee/scheduling/placement/scheduler/cluster-change';
import {
  isOurs,
  type Standing,
  standingOf,
} from '@perigee/scheduling/placement/scheduler/standing';
import { sameJson } from '@perigee/schema/same-json';
import type { KnownClusters } from './known-clusters.ts';

const STANDING = 'standing-with-clusters';
const PLACED_ON = 'scheduled-to-cluster';

/** The bindings of some standings that could use a cluster. */
const concernedBy =
  (kind: BindingKind, clusters: KnownClusters, standings: readonly Standing[]) =>
  (cluster: MemberCluster, cache: Caches): readonly ObjectRef[] => {
    const facts = clusters.factsOf(cluster);
    return standings
      .flatMap((standing) => cache(kind).byIndex(STANDING, standing))
      .filter((binding) => usableBy(binding)(facts))
      .map(refOf);
  };

/** The bindings that have replicas on a cluster. */
const placedOn =
  (kind: BindingKind) =>
  ({ metadata }: MemberCluster, cache: Caches): readonly ObjectRef[] =>
    cache(kind).byIndex(PLACED_ON, metadata.name).map(refOf);

const clustersOf =
  (schedulerName: string) =>
  (binding: Binding): readonly string[] =>
    isOurs(binding, schedulerName) ? (binding.spec.clusters ?? []).map(({ name }) => name) : [];

const endsWork = (now: Scheduler | undefined, before: Scheduler | undefined): boolean =>
  before !== undefined && takesWork(before) && (now === undefined || !takesWork(now));

export const schedulerIndexes = (kind: BindingKind, schedulerName: string) => [
  index(kind, STANDING, (binding) => standingOf(binding, schedulerName)),
  index(kind, PLACED_ON, clustersOf(schedulerName)),
];

/** The changes of clusters, and of Schedulers for a deputy, that concern bindings of a scheduler. */
export const schedulerWatches = (
  kind: BindingKind,
  clusters: KnownClusters,
  { isDeputy }: { readonly isDeputy: boolean },
): readonly Source[] => {
  const waitingBindings = (cache: Caches) => cache(kind).byIndex(STANDING, 'waiting').map(refOf);
  return [
    watch(MemberCluster, {
      atStart: false,
      map: concernedBy(kind, clusters, ['following']),
      when: (now, before) => clusterChange(now, before) === 'fit',
    }),
    // Also bindings that cannot use the cluster: their conditions count clusters by reason.
    watch(MemberCluster, {
      atStart: false,
      map: (_, cache) => waitingBindings(cache),
      when: (now, before) => clusterChange(now, before) === 'fit',
    }),
    ...(isDeputy
      ? [watch(Scheduler, { map: (_, cache) => waitingBindings(cache), when: endsWork })]
      : []),
    watch(MemberCluster, {
      atStart: false,
      map: concernedBy(kind, clusters, ['waiting']),
      when: (now, before) => clusterChange(now, before) === 'room',
    }),
    watch(ClusterRoom, {
      atStart: false,
      map: (room, cache) => {
        const name = clusterOfExecutionNamespace(room.metadata.namespace ?? '');
        const cluster = name === undefined ? undefined : cache(MemberCluster).get({ name });
        return cluster === undefined
          ? []
          : concernedBy(kind, clusters, ['waiting'])(cluster, cache);
      },
      when: (now, before) => !sameJson(now?.spec.pools, before?.spec.pools),
    }),
    watch(MemberCluster, {
      atStart: false,
      map: placedOn(kind),
      when: isGoing,
    }),
  ];
};
