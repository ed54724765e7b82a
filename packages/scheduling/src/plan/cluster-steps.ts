import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { findCondition, isConditionTrue, setCondition } from '@perigee/api/values/conditions';
import { sameJson } from '@perigee/schema/same-json';
import { formatTime } from '@perigee/schema/values/time';
import { conditionTaints } from '../clusters/health/condition-taints.ts';
import { policyTaints } from '../clusters/health/policy-taints.ts';
import { isGoing } from '../clusters/lifecycle/going-cluster.ts';
import { carriedPlacement } from '../data/carried-placement.ts';
import { carriedDataOf } from '../data/data-marks.ts';
import { locatedCluster } from '../data/locality.ts';
import type { Binding } from '../placement/binding/binding.ts';
import { drivingTaints } from '../placement/failover/drive-out.ts';
import { clusterChange, usableBy } from '../placement/scheduler/cluster-change.ts';
import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import { schedule } from '../placement/scheduler/schedule.ts';
import { standardRules } from '../placement/scheduler/standard-rules.ts';
import type { PlanState } from './plan-state.ts';

/** The time without contact, by push or by heartbeats of an agent, before a cluster counts as not ready. */
const LOOKS_BAD_MS = 30_000;
const SILENT_MS = 40_000;

const isTakenBy = ({ metadata, spec, status = {} }: Binding, cluster: ClusterFacts): boolean => {
  const world = { clusters: [cluster], rules: standardRules };
  return schedule(spec, status, world, carriedPlacement(metadata)).outcome.kind === 'placed';
};

/**
 * True if a change of one cluster can affect work that goes to every usable cluster. Such a decision consists of the
 * filters alone, so each cluster is judged by itself.
 */
const canMatter = (
  binding: Binding,
  before: ClusterFacts | undefined,
  now: ClusterFacts,
): boolean => {
  const { spreadConstraints = [], clusterAffinities } = binding.spec.placement ?? {};
  if (spreadConstraints.length > 0 || clusterAffinities !== undefined) return true;
  if (binding.spec.workloadAffinityGroups !== undefined) return true;
  return (before !== undefined && isTakenBy(binding, before)) !== isTakenBy(binding, now);
};

const scheduleFollowers = (
  state: PlanState,
  before: ClusterFacts | undefined,
  now: ClusterFacts,
): void => {
  for (const key of state.standing('following')) {
    const binding = state.bindings.get(key);
    if (binding === undefined) continue;
    const canUse = usableBy(binding);
    // Work may have to leave a cluster that it could use before.
    if (!canUse(now) && !(before !== undefined && canUse(before))) continue;
    if (canMatter(binding, before, now)) state.due.schedule.add(key);
  }
  for (const key of state.standing('waiting')) state.due.schedule.add(key);
};

/** Updates the data that depends on the locations and states of clusters. */
const recheckData = (state: PlanState): void => {
  for (const key of state.claims.keys()) state.due.claims.add(key);
  for (const [key, { metadata }] of state.bindings) {
    if (carriedDataOf(metadata).length > 0) state.due.data.add(key);
  }
};

/** Stores a cluster, and queues all that depends on it. */
export const putCluster = (state: PlanState, cluster: MemberCluster): void => {
  const { name } = cluster.metadata;
  const before = state.clusters.get(name);
  const isNewSpec = before === undefined || !sameJson(before.spec, cluster.spec);
  const generation = (before?.metadata.generation ?? 0) + (isNewSpec ? 1 : 0);
  const next: MemberCluster = { ...cluster, metadata: { ...cluster.metadata, generation } };
  const factsBefore = state.room.get(name);
  state.clusters.set(name, next);
  state.version += 1;
  state.room.setCluster(next);
  const facts = state.room.get(name);
  if (facts !== undefined && clusterChange(next, before) === 'fit') {
    scheduleFollowers(state, factsBefore, facts);
  }
  if (isGoing(next)) for (const key of state.on(name)) state.due.schedule.add(key);
  if (!sameJson(drivingTaints(next), drivingTaints(before))) {
    for (const key of state.on(name)) state.due.evict.add(key);
  }
  const isElsewhere =
    before === undefined ||
    !sameJson(locatedCluster(before) as never, locatedCluster(next) as never);
  if (isElsewhere && state.claims.size > 0) recheckData(state);
  state.due.taints.add(name);
  state.due.dispatch = true;
};

/** Sets the taints of a cluster by its health and the taint policies. */
export const taintStep = (state: PlanState, name: string): void => {
  const cluster = state.clusters.get(name);
  if (cluster === undefined || isGoing(cluster)) return;
  const ready = findCondition(cluster.status?.conditions, 'Ready')?.status;
  const own = conditionTaints(cluster.spec.taints ?? [], ready, state.nowMs);
  const healthy = { ...cluster, spec: { ...cluster.spec, taints: own } };
  const { taints, nextMs } = policyTaints(healthy, [...state.taintPolicies.values()], state.nowMs);
  if (nextMs !== undefined) {
    state.timeline.at(state.nowMs + nextMs, () => state.due.taints.add(name));
  }
  if (sameJson(taints, cluster.spec.taints ?? [])) return;
  putCluster(state, { ...cluster, spec: { ...cluster.spec, taints } });
};

/** Silences a cluster; it counts as not ready after the grace period. */
export const loseCluster = (state: PlanState, cluster: MemberCluster): void => {
  const isPulling = cluster.spec.syncMode === 'Pull';
  for (const key of state.on(cluster.metadata.name)) state.concern(key);
  state.timeline.at(state.nowMs + (isPulling ? SILENT_MS : LOOKS_BAD_MS), () => {
    const { conditions } = cluster.status ?? {};
    const word = isPulling
      ? ({ status: 'Unknown', reason: 'ClusterStatusUnknown' } as const)
      : ({ status: 'False', reason: 'ClusterNotReachable' } as const);
    const condition = { type: 'Ready', message: 'the cluster is lost', ...word } as const;
    const next = setCondition(conditions, condition, state.nowMs);
    putCluster(state, { ...cluster, status: { ...cluster.status, conditions: next } });
  });
};

/** Unregisters a cluster: it is drained first. */
export const drainCluster = (state: PlanState, cluster: MemberCluster): void => {
  for (const key of state.on(cluster.metadata.name)) state.concern(key);
  const deletionTimestamp = formatTime(state.nowMs);
  putCluster(state, { ...cluster, metadata: { ...cluster.metadata, deletionTimestamp } });
};

export const isReady = ({ status }: MemberCluster): boolean =>
  isConditionTrue(status?.conditions, 'Ready');
