import type {
  ClusterTaintPolicy,
  MatchCondition,
  PolicyTaint,
} from '@perigee/api/kinds/clusters/cluster-taint-policy';
import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { formatTime, parseTime } from '@perigee/api/values/time';
import { affinityPredicate } from '../../placement/scheduler/cluster-affinity.ts';

export interface PolicyTaints {
  /** The taints of the cluster after all policies; the very same list when nothing changes. */
  readonly taints: readonly ClusterTaint[];
  /** How long until a condition has lasted long enough; absent when none has to. */
  readonly nextMs?: number;
}

/** How long until a match condition holds: 0 when it does, Infinity when it does not. */
const untilHolds = (cluster: MemberCluster, match: MatchCondition, nowMs: number): number => {
  const { conditionType, operator, statusValues, forSeconds = 0 } = match;
  const condition = cluster.status?.conditions?.find(({ type }) => type === conditionType);
  if (condition === undefined) return Infinity;
  if (statusValues.includes(condition.status) !== (operator === 'In')) return Infinity;
  if (forSeconds === 0) return 0;
  return Math.max(0, parseTime(condition.lastTransitionTime) + forSeconds * 1000 - nowMs);
};

/** How long until all of them hold. None at all never do. */
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

/** Whether a policy is about a cluster. */
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
 * The taints that policies want a cluster to have, the oldest policy first: each adds its taints, then removes
 * them, as its conditions say. A taint that is there keeps its value and its time, also when one policy takes it
 * away and a later one gives it back.
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
      const missing = own.filter((taint) => !taints.some((other) => isSame(taint, other)));
      const added = missing.map(
        (taint) =>
          before.find((other) => isSame(taint, other)) ?? {
            ...taint,
            timeAdded: formatTime(nowMs),
          },
      );
      taints = [...taints, ...added];
    }
    if (removeMs === 0) taints = taints.filter((taint) => !own.some((one) => isSame(one, taint)));
    for (const ms of [addMs, removeMs]) if (ms > 0) nextMs = Math.min(nextMs, ms);
  }
  const isUnchanged =
    taints.length === before.length && before.every((taint) => taints.includes(taint));
  return { taints: isUnchanged ? before : taints, ...(nextMs === Infinity ? {} : { nextMs }) };
};
