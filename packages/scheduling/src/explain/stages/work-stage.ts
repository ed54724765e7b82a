import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Work } from '@perigee/api/kinds/placement/work';
import { findCondition } from '@perigee/api/values/conditions';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import { present } from '@perigee/schema/present';
import { isFinished } from '../../interpreter/completion-checks.ts';
import type { Binding } from '../../placement/binding/binding.ts';
import { isHeldBack, targetsOf } from '../../placement/work/targets.ts';
import type { Finding, Severity, StageReason } from '../finding.ts';
import { read, type WorkSnapshot } from '../snapshot.ts';

/** Messages that say no more than that a cluster is not reachable, or not ready. */
const NO_NEWS = /^cluster is not (reachable|ready)\.?$/;

const clusterFinding = (name: string, cluster: MemberCluster | undefined): Finding | undefined => {
  const base = { stage: 'cluster', severity: 'degrades', by: 'cluster', cluster: name } as const;
  if (cluster === undefined) {
    const message = `it is placed on ${name}, and there is no such cluster`;
    return { ...base, reason: 'ClusterMissing', message };
  }
  const ready = findCondition(cluster.status?.conditions, 'Ready');
  if (ready?.status === 'True') return undefined;
  if (ready === undefined) {
    const message = `nobody has looked at ${name} yet`;
    return { ...base, reason: 'ClusterNotReady', message };
  }
  const { lastTransitionTime: since } = ready;
  const isLost = ready.status === 'Unknown' || ready.reason === 'ClusterNotReachable';
  const text = `${name} ${isLost ? 'is not reachable' : 'is not ready'} since ${since}`;
  return {
    ...base,
    reason: isLost ? 'ClusterUnreachable' : 'ClusterNotReady',
    message: NO_NEWS.test(ready.message) ? text : `${text}: ${ready.message}`,
    since,
    details: { condition: ready.reason },
  };
};

const CONFLICT = /is not managed from here|was brought to cluster|already exists/;
/** The prefix of a condition message about several manifests. */
const COUNTED = /^Failed to apply all manifests \(\d+\/\d+\): /;
const NO_NAMESPACE = /namespaces? "[^"]+" not found/;

const applyReason = (message: string): StageReason => {
  if (NO_NAMESPACE.test(message)) return 'NamespaceMissing';
  return CONFLICT.test(message) ? 'ConflictInMember' : 'ApplyFailed';
};

interface Delivery {
  readonly cluster: string;
  readonly binding: Binding;
  readonly work: Work | undefined;
  readonly areWorksKnown: boolean;
  readonly isLost: boolean;
  readonly isRefused: boolean;
}

/** The reason why the member lacks the current object; none if it has it, or another finding covers it. */
const deliveryFinding = (delivery: Delivery): Finding | undefined => {
  const { cluster, binding, work, areWorksKnown, isLost, isRefused } = delivery;
  const item = (binding.status?.aggregatedStatus ?? []).find((one) => one.clusterName === cluster);
  const appliedCondition = findCondition(work?.status?.conditions, 'Applied');
  const isApplied =
    item?.applied === true || (item === undefined && appliedCondition?.status === 'True');
  if (isApplied || isLost) return undefined;
  const base = { stage: 'work', severity: 'degrades', cluster } as const;
  if (isHeldBack(binding.spec, cluster) || work?.spec.suspendDispatching === true) {
    const where =
      binding.spec.suspension?.dispatching === true
        ? 'suspension.dispatching is true'
        : work?.spec.suspendDispatching === true && !isHeldBack(binding.spec, cluster)
          ? `spec.suspendDispatching of the Work ${work.metadata.name} is true`
          : `suspension.dispatchingOnClusters names ${cluster}`;
    const message = `a user has suspended what is sent to ${cluster}: ${where}`;
    return { ...base, reason: 'DispatchSuspended', by: 'user', message };
  }
  if (isRefused) return undefined;
  if (work === undefined && item === undefined && areWorksKnown) {
    const message = `${cluster} was chosen, and its Work is not written yet`;
    return { ...base, reason: 'WorkNotWritten', by: 'control plane', message };
  }
  const words =
    appliedCondition?.status === 'False' ? appliedCondition.message : (item?.appliedMessage ?? '');
  const statement = words.replace(COUNTED, '');
  if (
    appliedCondition?.status === 'False' ||
    (appliedCondition === undefined && statement !== '')
  ) {
    const message = `${cluster} did not take it: ${statement}`;
    return {
      ...base,
      reason: applyReason(statement),
      by: 'member',
      message,
      ...present({ since: appliedCondition?.lastTransitionTime }),
      details: { said: statement },
    };
  }
  const message = `it is on its way to ${cluster}${statement === '' ? '' : `: ${statement}`}`;
  return { ...base, reason: 'NotDelivered', by: 'control plane', message };
};

/** True if what overrides make of it for a cluster is refused, so that the cluster keeps what it had. */
export const isRefusedIn = ({ status }: Binding, cluster: string): boolean => {
  const worksCondition = findCondition(status?.conditions, 'WorksWritten');
  return worksCondition?.status === 'False' && worksCondition.message.includes(`${cluster}: `);
};

const refusalFindings = (binding: Binding, severity: Severity): readonly Finding[] => {
  const worksCondition = findCondition(binding.status?.conditions, 'WorksWritten');
  if (worksCondition?.status !== 'False') return [];
  const { reason, message, lastTransitionTime: since } = worksCondition;
  return [{ stage: 'work', reason: reason as StageReason, severity, by: 'user', message, since }];
};

const evictionFindings = ({ spec }: Binding): readonly Finding[] =>
  (spec.gracefulEvictionTasks ?? []).map((task): Finding => {
    const { fromCluster, reason, message = '', producer, creationTimestamp } = task;
    const why = message === '' ? reason : `${reason}: ${message}`;
    return {
      stage: 'placement',
      reason: 'LeavesCluster',
      severity: 'degrades',
      by: 'control plane',
      cluster: fromCluster,
      message: `it is leaving ${fromCluster} (${why})`,
      ...present({ since: creationTimestamp }),
      details: { reason, producer },
    };
  });

/** The way from the binding to the members: Works, their conditions, and silent clusters. */
export const workStage = (snapshot: WorkSnapshot): readonly Finding[] => {
  const binding = read(snapshot.binding, undefined);
  if (binding === undefined) return [];
  const clusters = read(snapshot.clusters, undefined);
  const works = read(snapshot.works, []);
  const refusals = refusalFindings(binding, 'degrades');
  const byCluster = new Map(
    works.map((work) => [clusterOfExecutionNamespace(work.metadata.namespace ?? ''), work]),
  );
  const reporters = (binding.status?.aggregatedStatus ?? []).map(({ clusterName }) => clusterName);
  const names = new Set([...targetsOf(binding.spec).map(({ name }) => name), ...reporters]);
  const perCluster = [...names].flatMap((name): readonly Finding[] => {
    const isOver = (binding.status?.aggregatedStatus ?? []).some(
      (one) => one.clusterName === name && isFinished(binding.spec.resource, one.status),
    );
    const lossFinding =
      clusters === undefined || isOver
        ? undefined
        : clusterFinding(
            name,
            clusters.find(({ metadata }) => metadata.name === name),
          );
    const delivery = deliveryFinding({
      cluster: name,
      binding,
      work: byCluster.get(name),
      areWorksKnown: 'value' in snapshot.works,
      isLost: lossFinding !== undefined,
      isRefused: isRefusedIn(binding, name),
    });
    return [
      ...(lossFinding === undefined ? [] : [lossFinding]),
      ...(delivery === undefined ? [] : [delivery]),
    ];
  });
  return [...refusals, ...evictionFindings(binding), ...perCluster];
};
