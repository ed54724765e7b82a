import type {
  ObservedWorkload,
  WorkloadRebalancer,
} from '@perigee/api/kinds/placement/workload-rebalancer';
import type { WorkloadReference } from '@perigee/api/kinds/placement/workload-reference';
import { sameJson } from '@perigee/schema/same-json';
import { formatTime, parseTime } from '@perigee/schema/values/time';

type RebalancerStatus = NonNullable<WorkloadRebalancer['status']>;

const keyOf = ({ apiVersion, kind, namespace = '', name }: WorkloadReference): string =>
  `${apiVersion} ${kind} ${namespace} ${name}`;

const byKey = (a: ObservedWorkload, b: ObservedWorkload): number =>
  keyOf(a.workload) < keyOf(b.workload) ? -1 : 1;

/**
 * The workloads of a rebalancer with their results. A workload that was removed from the spec stays
 * if it was rescheduled already, since that cannot be undone.
 */
export const observedWorkloads = ({
  spec,
  status,
}: Pick<WorkloadRebalancer, 'spec' | 'status'>): readonly ObservedWorkload[] => {
  const newWorkloads = new Map(spec.workloads.map((workload) => [keyOf(workload), workload]));
  const observations = (status?.observedWorkloads ?? []).filter(
    ({ workload, result }) => newWorkloads.delete(keyOf(workload)) || result === 'Successful',
  );
  return [
    ...observations,
    ...[...newWorkloads.values()].map((workload) => ({ workload })),
  ].toSorted(byKey);
};

/**
 * The status with these results. `finishTime` is set when all workloads have one, and again when
 * that status changes.
 */
export const rebalancerStatus = (
  { metadata, status = {} }: Pick<WorkloadRebalancer, 'metadata' | 'status'>,
  workloads: readonly ObservedWorkload[],
  nowMs: number,
): RebalancerStatus => {
  const next = {
    ...status,
    observedWorkloads: workloads,
    observedGeneration: metadata.generation ?? 0,
  };
  const isFinished = workloads.every(({ result }) => result !== undefined);
  if (!isFinished || sameJson(next, status)) return next;
  return { ...next, finishTime: formatTime(nowMs) };
};

/** The remaining lifetime of a finished rebalancer; Infinity without a limit. */
export const rebalancerLeftMs = (
  { ttlSecondsAfterFinished }: WorkloadRebalancer['spec'],
  { finishTime }: RebalancerStatus,
  nowMs: number,
): number =>
  ttlSecondsAfterFinished === undefined || finishTime === undefined
    ? Infinity
    : Math.max(0, parseTime(finishTime) + ttlSecondsAfterFinished * 1000 - nowMs);
