import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { isConditionTrue } from '@perigee/api/values/conditions';
import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { objectKey } from '@perigee/kube/informer/object-key';
import { EvictionError } from '@perigee/scheduling/errors';
import {
  APPLIED_PLACEMENT,
  type Binding,
  type BindingKind,
} from '@perigee/scheduling/placement/binding/binding';
import {
  drivenOut,
  drivingTaints,
  whyStay,
} from '@perigee/scheduling/placement/failover/drive-out';
import type { EvictionPacer } from '@perigee/scheduling/placement/failover/eviction-pacer';
import {
  DEFAULT_EVICTION_RATES,
  type EvictionRates,
  evictionRate,
} from '@perigee/scheduling/placement/failover/eviction-rate';
import type { PurgeMode } from '@perigee/scheduling/placement/failover/taint-eviction';
import { RecentDecisions } from '@perigee/scheduling/placement/scheduler/recent-decisions';
import { sameJson } from '@perigee/schema/same-json';
import { KnownClusters } from '../../scheduler/known-clusters.ts';
import { reportNotEvicted } from '../graceful-eviction/eviction-events.ts';
import { writeEviction } from '../graceful-eviction/write-eviction.ts';

const ON_CLUSTER = 'placed-on-cluster';

const clustersOf = ({ spec }: Binding): readonly string[] =>
  (spec.clusters ?? []).map(({ name }) => name);

/** Finds bindings by the clusters that they are placed on. */
const placedOnCluster = (kind: BindingKind): CacheIndex => index(kind, ON_CLUSTER, clustersOf);

const byKey = (a: ObjectRef, b: ObjectRef): number => (objectKey(a) < objectKey(b) ? -1 : 1);

/** The bindings that are placed on a cluster, by name: the order of their eviction. */
const bindingsOn =
  (kind: BindingKind) =>
  ({ metadata }: { readonly metadata: ObjectRef }, cache: Caches): readonly ObjectRef[] =>
    cache(kind).byIndex(ON_CLUSTER, metadata.name).map(refOf).sort(byKey);

export interface TaintEvictionOptions {
  /** Shared by the controllers of both scopes, so that one rate limit applies to both. */
  readonly pacer: EvictionPacer;
  /** Default purge mode of the old copy. */
  readonly purgeMode?: PurgeMode;
  readonly rates?: Partial<EvictionRates>;
}

const FIELD_MANAGER = 'perigee-taint-eviction';
/** Retry interval for work without a place to go. */
const RECHECK_MS = 60_000;
const UNHEALTHY = 'unhealthy';

const healthOf = ({ status }: MemberCluster): readonly string[] =>
  isConditionTrue(status?.conditions, 'Ready') ? [] : [UNHEALTHY];

/** The status that counts as a change: work with preserved state can be evicted once its state is reported. */
const statusThatMatters = ({ spec, status }: Binding) =>
  spec.failover?.cluster?.statePreservation === undefined ? undefined : status?.aggregatedStatus;

const isChange = (now: Binding | undefined, before: Binding | undefined): boolean =>
  now !== undefined &&
  (before === undefined ||
    now.metadata.generation !== before.metadata.generation ||
    now.metadata.annotations?.[APPLIED_PLACEMENT] !==
      before.metadata.annotations?.[APPLIED_PLACEMENT] ||
    !sameJson(statusThatMatters(now), statusThatMatters(before)));

const rateNow = (cache: Caches, rates: EvictionRates): number => {
  const total = cache(MemberCluster).list().length;
  const unhealthy = cache(MemberCluster).byIndex('health', UNHEALTHY).length;
  return evictionRate({ total, unhealthy }, rates);
};

/** Evicts work from clusters with taints that it does not tolerate, at a limited rate. */
export const taintEvictionController = (
  kind: BindingKind,
  { pacer, purgeMode = 'Gracefully', rates: otherRates = {} }: TaintEvictionOptions,
): ControllerDefinition => {
  const rates = { ...DEFAULT_EVICTION_RATES, ...otherRates };
  const clusters = new KnownClusters();
  const decisions = new RecentDecisions();
  const staying = new Set<string>();
  return defineController<Binding>({
    name: kind.scope === 'Namespaced' ? 'taint-eviction' : 'cluster-taint-eviction',
    for: kind,
    when: isChange,
    concurrency: 4,
    watches: [
      watch(MemberCluster, {
        map: bindingsOn(kind),
        when: (now, before) => !sameJson(drivingTaints(now), drivingTaints(before)),
      }),
    ],
    reads: [ClusterRoom],
    indexes: [placedOnCluster(kind), index(MemberCluster, 'health', healthOf)],
    async reconcile(ref, context) {
      const { cache, clock, events } = context;
      const key = `${kind.kind} ${objectKey(ref)}`;
      const binding = cache(kind).get(ref);
      if (binding === undefined) {
        staying.delete(key);
        pacer.forget(key, ref.namespace);
        return undefined;
      }
      try {
        const nowMs = clock.now();
        const clusterOf = (name: string) => cache(MemberCluster).get({ name });
        const { evicted, nextMs } = drivenOut(binding, clusterOf, { nowMs, purgeMode });
        const why =
          evicted && whyStay(binding, evicted, clusters.withRoom(cache, nowMs), decisions);
        if (why !== undefined) {
          pacer.forget(key, ref.namespace);
          if (!staying.has(key)) reportNotEvicted(events, binding, new EvictionError(why));
          staying.add(key);
          return { requeueAfterMs: RECHECK_MS };
        }
        staying.delete(key);
        if (evicted === undefined) {
          pacer.forget(key, ref.namespace);
          return nextMs === undefined ? undefined : { requeueAfterMs: nextMs };
        }
        const waitMs = pacer.enter(key, rateNow(cache, rates), clock.now(), ref.namespace);
        if (waitMs !== undefined) return { requeueAfterMs: waitMs };
        const { placement } = evicted;
        await writeEviction(
          kind,
          binding,
          { fieldManager: FIELD_MANAGER, placed: placement },
          context,
        );
        return nextMs === undefined ? undefined : { requeueAfterMs: nextMs };
      } catch (error) {
        // The others must not wait for its turn.
        pacer.forget(key, ref.namespace);
        if (!(error instanceof EvictionError)) throw error;
        // A retry without any change would fail again.
        reportNotEvicted(events, binding, error);
        return undefined;
      }
    },
  });
};
