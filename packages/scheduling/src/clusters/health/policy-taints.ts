import type {
  ClusterTaintPolicy,
  MatchCondition,
  PolicyTaint,
} from '@perigee/api/kinds/clusters/cluster-taint-policy';
import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { present } from '@perigee/schema/present';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import { affinityPredicate } from '../cluster-affinity.ts';

export interface PolicyTaints {
  /** The cluster's taints after all policies; the same list if nothing changes. */
  readonly taints: readonly ClusterTaint[];
  /** The time until a condition has lasted `forSeconds`; absent if none is pending. */
  readonly nextMs?: number;
}

/** The time until a match condition holds: 0 if it does, Infinity if it cannot. */
const untilHolds = (cluster: MemberCluster, match: MatchCondition, nowMs: number): number => {
  const { conditionType, operator, statusValues, forSeconds = 0 } = match;
  const condition = cluster.status?.conditions?.find(({ type }) => type === conditionType);
  if (condition === undefined) return Infinity;
  if (statusValues.includes(condition.status) !== (operator === 'In')) return Infinity;
  if (forSeconds === 0) return 0;
  return Math.max(0, parseTime(condition.lastTransitionTime) + forSeconds * 1000 - nowMs);
};

/** The time until all conditions hold. An empty list never does. */
const untilAll = (
  cluster: MemberCluster,
  matches: readonly MatchCondition[] = [],
  nowMs: number,
): number =>
  matches.length === 0
    ? Infinity
    : Math.max(...matches.map((match) => untilHolds(cluster, match, nowMs)));

const isSame = (a: PolicyTaint, b: PolicyTaint): boolean =>
  a.key === b.key && a.effect === b.effect;

const byAge = (a: ClusterTaintPolicy, b: ClusterTaintPolicy): number => {
  const [left, right] = [a, b].map(
    ({ metadata }) => `${metadata.creationTimestamp} ${metadata.name}`,
  );
  return (left ?? '') < (right ?? '') ? -1 : 1;
};

/** True if the policy selects the cluster. */
export const targetsCluster = ({ spec }: ClusterTaintPolicy, cluster: MemberCluster): boolean => {
  if (spec.targetClusters === undefined) return true;
  const {
    metadata,
    spec: { provider = '', region = '', zones = [] },
  } = cluster;
  const { name, labels = {} } = metadata;
  return affinityPredicate(spec.targetClusters)({ name, labels, provider, region, zones });
};

/**
 * Applies all policies, the oldest first: each adds its taints, then removes some, by its
 * conditions. An existing taint keeps its value and `timeAdded`, even if one policy removes it and
 * a later one adds it again.
 */
export const policyTaints = (
  cluster: MemberCluster,
  policies: readonly ClusterTaintPolicy[],
  nowMs: number,
): PolicyTaints => {
  const before = cluster.spec.taints ?? [];
  let taints = before;
  let nextMs = Infinity;
  for (const policy of policies.toSorted(byAge)) {
    if (!targetsCluster(policy, cluster)) continue;
    const { addOnConditions, removeOnConditions, taints: own } = policy.spec;
    const addMs = untilAll(cluster, addOnConditions, nowMs);
    const removeMs = untilAll(cluster, removeOnConditions, nowMs);
    if (addMs === 0) {
      const absentTaints = own.filter((taint) => !taints.some((other) => isSame(taint, other)));
      const newTaints = absentTaints.map(
        (taint) =>
          before.find((other) => isSame(taint, other)) ?? {
            ...taint,
            timeAdded: formatTime(nowMs),
          },
      );
      taints = [...taints, ...newTaints];
    }
    if (removeMs === 0) taints = taints.filter((taint) => !own.some((one) => isSame(one, taint)));
    for (const ms of [addMs, removeMs]) if (ms > 0) nextMs = Math.min(nextMs, ms);
  }
  const isUnchanged =
    taints.length === before.length && before.every((taint) => taints.includes(taint));
  return {
    taints: isUnchanged ? before : taints,
    ...present({ nextMs: nextMs === Infinity ? undefined : nextMs }),
  };
};
