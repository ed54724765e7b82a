import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { TriggeredTarget } from '@perigee/api/kinds/placement/schedule-trigger-status';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { findCondition } from '@perigee/api/values/conditions';
import { parseTime } from '@perigee/schema/values/time';
import { runsToCompletion } from '../../interpreter/completion-checks.ts';
import { whyUndecided } from '../scheduler/standing.ts';
import { hasMoved, replicasMoved } from './replicas-moved.ts';
import type { TriggerMark } from './trigger-mark.ts';

/** The binding fields that a trigger reads. */
export interface TriggerableBinding {
  readonly metadata: ObjectMeta;
  readonly spec: BindingSpec;
  readonly status?: BindingStatus;
}

export type TargetVerdict = Omit<TriggeredTarget, 'apiVersion' | 'kind' | 'namespace' | 'name'>;

/** True if the scheduler has processed the binding since the trigger's request. */
const isRescheduled = ({ metadata, spec, status }: TriggerableBinding, at: string): boolean => {
  const { lastScheduledTime, schedulerObservedGeneration, conditions } = status ?? {};
  const isSince = (time: string | undefined): boolean =>
    time !== undefined && parseTime(time) >= parseTime(at);
  if (isSince(lastScheduledTime)) return true;
  // Another scheduler's clock may lag; the observed generation proves it, too.
  return (
    isSince(spec.rescheduleTriggeredAt) &&
    schedulerObservedGeneration === metadata.generation &&
    findCondition(conditions, 'Scheduled')?.status === 'True'
  );
};

const sharesOf = ({ spec }: TriggerableBinding) =>
  (spec.clusters ?? []).map(({ name, replicas }) =>
    replicas === undefined ? { name } : { name, replicas },
  );

/**
 * Delivered work counts as started: its first pod may already run. So does work that was just placed, of which no word
 * can have come yet. Work with a status was there, even if a later version of it was not delivered.
 */
const hasStarted = ({ spec, status }: TriggerableBinding): boolean => {
  const { clusters = [] } = spec;
  const reports = new Map((status?.aggregatedStatus ?? []).map((one) => [one.clusterName, one]));
  const wasThere = reports.values().some((one) => one.applied === true || one.status !== undefined);
  return clusters.length > 0 && (wasThere || clusters.some(({ name }) => !reports.has(name)));
};

const ofAsked = (binding: TriggerableBinding, { at, before }: TriggerMark): TargetVerdict => {
  const base = { triggeredAt: at, before };
  if (isRescheduled(binding, at)) {
    const after = sharesOf(binding);
    const result = hasMoved(before, after) ? 'Scheduled' : 'NoChange';
    return { ...base, result, after, replicasMoved: replicasMoved(before, after) };
  }
  const { suspension } = binding.spec;
  if (suspension?.scheduling === true) {
    return { ...base, result: 'Triggered', reason: 'SchedulingSuspended', message: SUSPENDED };
  }
  const scheduledCondition = findCondition(binding.status?.conditions, 'Scheduled');
  const isDecided =
    scheduledCondition?.status === 'False' && scheduledCondition.reason !== 'HandedOver';
  if (!isDecided) return { ...base, result: 'Triggered' };
  const { reason, message } = scheduledCondition;
  return { ...base, result: 'Failed', reason, message };
};

const SUSPENDED = 'scheduling is suspended; it follows on release';

const NOT_FOUND: TargetVerdict = {
  result: 'Failed',
  reason: 'BindingNotFound',
  message: 'there is no binding: the resource does not exist, or no policy propagates it',
};

const FOLLOWS_OTHERS: TargetVerdict = {
  result: 'Failed',
  reason: 'FollowsOthers',
  message: 'it goes wherever the work goes that depends on it; trigger that work',
};

const RUNS_TO_COMPLETION: TargetVerdict = {
  result: 'Skipped',
  reason: 'RunsToCompletion',
  message:
    'it has started, or is about to, and would begin anew elsewhere; set moveStarted to move it all the same',
};

/**
 * Judges a trigger's progress with one resource from its binding and the trigger's mark.
 * Level-based: the same state gives the same verdict.
 */
export const judgeTarget = (
  binding: TriggerableBinding | undefined,
  mark: TriggerMark | undefined,
  { moveStarted = false }: Pick<ScheduleTrigger['spec'], 'moveStarted'>,
): TargetVerdict => {
  if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) return NOT_FOUND;
  if (mark !== undefined) return ofAsked(binding, mark);
  const { spec } = binding;
  if (spec.placement === undefined) return FOLLOWS_OTHERS;
  if (spec.suspension?.scheduling === true) {
    return { result: 'Held', reason: 'SchedulingSuspended', message: SUSPENDED };
  }
  const message = whyUndecided(binding);
  if (message !== undefined) return { result: 'Failed', reason: 'NotScheduled', message };
  const isAtWork = runsToCompletion(spec.resource) && hasStarted(binding);
  return isAtWork && !moveStarted ? RUNS_TO_COMPLETION : { result: 'Pending' };
};

/** A scheduler decides in seconds, also about thousands. One that does not run never does. */
const DECIDED_WITHIN_MS = 300_000;

/**
 * The verdict now: work without a decision fails after a time. Its policy may name a scheduler that does not run, and
 * whoever wrote it must not stop the trigger for the others. Suspended work follows on release, except that a run of a
 * standing trigger does not wait for it.
 */
export const verdictAt = (
  binding: TriggerableBinding | undefined,
  verdict: TargetVerdict,
  { isStanding, nowMs }: { readonly isStanding: boolean; readonly nowMs: number },
): TargetVerdict => {
  const { result, triggeredAt, reason } = verdict;
  if (binding === undefined || result !== 'Triggered' || triggeredAt === undefined) return verdict;
  const isWaitedFor = reason === 'SchedulingSuspended' && !isStanding;
  if (isWaitedFor || nowMs < parseTime(triggeredAt) + DECIDED_WITHIN_MS) return verdict;
  const message =
    whyUndecided(binding) ??
    `the scheduler ${binding.spec.schedulerName} has not decided for ${DECIDED_WITHIN_MS / 1000} s`;
  return { ...verdict, result: 'Failed', reason: 'NotScheduled', message };
};
