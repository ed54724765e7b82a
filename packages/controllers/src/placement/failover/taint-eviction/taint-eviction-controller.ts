import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import { isConditionTrue } from '@perigee/api/values/conditions';
import { index } from '@perigee/kube/controller/cache-index';
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
  DEFAULT_EVICTION_RATES,
  type EvictionRates,
  evictionRate,
} from '@perigee/scheduling/placement/failover/eviction-rate';
import {
  type Evicted,
  judgeTaints,
  type PurgeMode,
} from '@perigee/scheduling/placement/failover/taint-eviction';
import { drivesOut } from '@perigee/scheduling/placement/failover/tolerance';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { KnownClusters } from '../../scheduler/known-clusters.ts';
import { RecentDecisions } from '../../scheduler/recent-decisions.ts';
import { tellNotEvicted } from '../graceful-eviction/eviction-events.ts';
import { writeEviction } from '../graceful-eviction/write-eviction.ts';
import type { EvictionPacer } from './eviction-pacer.ts';
import { bindingsOn, clustersOf, placedOnCluster } from './placed-on-cluster.ts';

export interface TaintEvictionOptions {
  /** Shared by the controllers of both scopes: they have one rate together. */
  readonly pacer: EvictionPacer;
  /** What happens to the old copy when the policy does not say. */
  readonly purgeMode?: PurgeMode;
  readonly rates?: Partial<EvictionRates>;
}

const FIELD_MANAGER = 'perigee-taint-eviction';
/** How often work that has nowhere to go looks for a place. */
const LOOK_AGAIN_MS = 60_000;
const UNHEALTHY = 'unhealthy';

const healthOf = ({ status }: MemberCluster): readonly string[] =>
  isConditionTrue(status?.conditions, 'Ready') ? [] : [UNHEALTHY];

const drivingTaints = (cluster: MemberCluster | undefined): readonly ClusterTaint[] =>
  (cluster?.spec.taints ?? []).filter(drivesOut);

const appliedPlacementOf = ({ metadata }: Binding): Placement | undefined => {
  const text = metadata.annotations?.[APPLIED_PLACEMENT];
  try {
    return text ? (JSON.parse(text) as Placement) : undefined;
  } catch (error) {
    throw new EvictionError(
      `the annotation ${APPLIED_PLACEMENT} is not JSON; remove it, so that the scheduler writes it anew`,
      { cause: error },
    );
  }
};

/** Work that takes state along can leave when the state is known, so that news of it count. */
const statusThatMatters = ({ spec, status }: Binding) =>
  spec.failover?.cluster?.statePreservation === undefined ? undefined : status?.aggregatedStatus;

const isNews = (now: Binding | undefined, before: Binding | undefined): boolean =>
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

/** Drives work out of clusters with taints that it does not tolerate, a few bindings at a time. */
export const taintEvictionController = (
  kind: BindingKind,
  { pacer, purgeMode = 'Gracefully', rates: otherRates = {} }: TaintEvictionOptions,
): ControllerDefinition => {
  const rates = { ...DEFAULT_EVICTION_RATES, ...otherRates };
  const judge = (binding: Binding, cache: Caches, nowMs: number) => {
    const { spec, status, metadata } = binding;
    if (metadata.deletionTimestamp !== undefined) return {};
    const taintsOf = (name: string) => drivingTaints(cache(MemberCluster).get({ name }));
    if (!clustersOf(binding).some((name) => taintsOf(name).length > 0)) return {};
    const appliedPlacement = appliedPlacementOf(binding);
    // Without it the scheduler has not decided, and nobody knows what is tolerated.
    if (appliedPlacement === undefined) return {};
    const placed = { spec, appliedPlacement, ...(status === undefined ? {} : { status }) };
    return judgeTaints(placed, taintsOf, { nowMs, purgeMode });
  };
  const clusters = new KnownClusters();
  const decisions = new RecentDecisions();
  /** Why work would be nowhere if it left; nothing when it is elsewhere, too, or would be. */
  const whyStay = (
    { spec, status = {} }: Binding,
    { placed }: Evicted,
    cache: Caches,
    nowMs: number,
  ): string | undefined => {
    if (placed.clusters.length > 0) return undefined;
    const world = { clusters: clusters.withRoom(cache, nowMs), rules: standardRules };
    const { outcome } = decisions.decide({ ...spec, ...placed }, status, world);
    return outcome.kind === 'refused' ? `no other cluster takes it: ${outcome.message}` : undefined;
  };
  const staying = new Set<string>();
  return defineController<Binding>({
    name: kind.scope === 'Namespaced' ? 'taint-eviction' : 'cluster-taint-eviction',
    for: kind,
    when: isNews,
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
        pacer.forget(key);
        return undefined;
      }
      try {
        const { evicted, nextMs } = judge(binding, cache, clock.now());
        const why =
          evicted === undefined ? undefined : whyStay(binding, evicted, cache, clock.now());
        if (why !== undefined) {
          pacer.forget(key);
          if (!staying.has(key)) tellNotEvicted(events, binding, new EvictionError(why));
          staying.add(key);
          return { requeueAfterMs: LOOK_AGAIN_MS };
        }
        staying.delete(key);
        if (evicted === undefined) {
          pacer.forget(key);
          return nextMs === undefined ? undefined : { requeueAfterMs: nextMs };
        }
        const waitMs = pacer.enter(key, rateNow(cache, rates), clock.now());
        if (waitMs !== undefined) return { requeueAfterMs: waitMs };
        const { placed } = evicted;
        await writeEviction(kind, binding, { fieldManager: FIELD_MANAGER, placed }, context);
        return nextMs === undefined ? undefined : { requeueAfterMs: nextMs };
      } catch (error) {
        if (!(error instanceof EvictionError)) throw error;
        // A try without any change would end the same way.
        pacer.forget(key);
        tellNotEvicted(events, binding, error);
        return undefined;
      }
    },
  });
};
