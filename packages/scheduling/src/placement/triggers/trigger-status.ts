import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type {
  FailedResource,
  ScheduleTriggerStatus,
  TriggerCounts,
  TriggeredTarget,
} from '@perigee/api/kinds/placement/schedule-trigger-status';
import { setCondition } from '@perigee/api/values/conditions';
import { present, unlessEmpty } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import { isStanding, withPastRun } from './next-run.ts';
import type { JudgedTarget } from './next-targets.ts';
import { targetKey } from './select-targets.ts';

/** Bounds the object size, and keeps the status readable. */
const MOST_FAILED = 1000;
const MOST_OTHERS = 500;
const LONGEST_MESSAGE = 256;
/** Bounds the listed clusters: work may be in hundreds of them. */
const MOST_SHARES = 8000;

type Result = TriggeredTarget['result'];

const COUNTED: { readonly [result in Result]: keyof TriggerCounts } = {
  Pending: 'pending',
  Held: 'held',
  Triggered: 'triggered',
  Scheduled: 'scheduled',
  NoChange: 'noChange',
  Skipped: 'skipped',
  Failed: 'failed',
};

/** The order in which results are listed until the limit. */
const ORDER: readonly Result[] = [
  'Failed',
  'Scheduled',
  'Triggered',
  'Held',
  'Skipped',
  'NoChange',
  'Pending',
];

const countsOf = (targets: readonly JudgedTarget[]): TriggerCounts => {
  const counts = {
    total: targets.length,
    pending: 0,
    held: 0,
    triggered: 0,
    scheduled: 0,
    noChange: 0,
    skipped: 0,
    failed: 0,
    replicasMoved: 0,
  };
  for (const { verdict } of targets) {
    counts[COUNTED[verdict.result]] += 1;
    counts.replicasMoved += verdict.replicasMoved ?? 0;
  }
  return counts;
};

const brief = (text: string): string =>
  text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE - 1)}…` : text;

const isFinal = ({ result }: Pick<TriggeredTarget, 'result'>): boolean =>
  result === 'Scheduled' || result === 'NoChange';

/** A scheduled resource keeps its result, whatever happens to it later. */
const resultOf = (
  { resource, verdict }: JudgedTarget,
  before: ReadonlyMap<string, TriggeredTarget>,
): TriggeredTarget => {
  const finalTarget = before.get(targetKey(resource));
  if (
    finalTarget !== undefined &&
    isFinal(finalTarget) &&
    finalTarget.triggeredAt === verdict.triggeredAt
  ) {
    return finalTarget;
  }
  const { message } = verdict;
  return {
    ...resource,
    ...verdict,
    ...present({ message: message === undefined ? undefined : brief(message) }),
  };
};

/** Includes previous and new clusters for as many resources as the limit allows. */
const withinShares = (targets: readonly TriggeredTarget[]): readonly TriggeredTarget[] => {
  let budget = MOST_SHARES;
  return targets.map((target) => {
    const { before = [], after = [], ...rest } = target;
    budget -= before.length + after.length;
    return budget >= 0 ? target : rest;
  });
};

const targetList = (
  targets: readonly JudgedTarget[],
  before: ReadonlyMap<string, TriggeredTarget>,
): readonly TriggeredTarget[] => {
  const byResult = Map.groupBy(targets, ({ verdict }) => verdict.result);
  const of = (result: Result): readonly TriggeredTarget[] =>
    (byResult.get(result) ?? [])
      .map((target) => ({ key: targetKey(target.resource), target }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ target }) => resultOf(target, before));
  const [failures = [], ...others] = ORDER.map(of);
  return withinShares([...failures.slice(0, MOST_FAILED), ...others.flat().slice(0, MOST_OTHERS)]);
};

const failureOf = (target: TriggeredTarget): readonly FailedResource[] => {
  const { apiVersion, kind, name, namespace, result, reason = '', message = '' } = target;
  if (result !== 'Failed') return [];
  const failReason = message === '' ? reason : `${reason}: ${message}`;
  const resource = { apiVersion, kind, name, ...present({ namespace }) };
  return [{ ...resource, failReason }];
};

/** A run of a standing trigger does not wait for held work: the next run takes it. */
const phaseOf = ({ pending, held, triggered, failed }: TriggerCounts, isStanding: boolean) => {
  if (pending + triggered + (isStanding ? 0 : held) > 0) return 'Running';
  return failed > 0 ? 'Failed' : 'Success';
};

const REASONS = { Running: 'UnderWay', Failed: 'TargetsFailed', Success: 'Rescheduled' } as const;

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Summary of a trigger's progress. */
export const summaryOf = (counts: TriggerCounts): string => {
  const { total, pending, held, triggered, scheduled, noChange, skipped, failed } = counts;
  if (total === 0) return 'Nothing is meant: no policy propagates anything of that.';
  const parts = [
    [scheduled, `moved, ${plural(counts.replicasMoved, 'replica')}`],
    [noChange, 'stay where they were'],
    [skipped, 'skipped'],
    [failed, 'failed'],
    [triggered, 'being scheduled'],
    [held, 'held'],
    [pending, 'not begun'],
  ] as const;
  const texts = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `Of ${plural(total, 'resource')}: ${texts.join('; ')}.`;
};

/** Summary of a trigger's plan. */
export const planSummary = (plan: readonly JudgedTarget[]): string => {
  const { total, scheduled, noChange, failed, ...counts } = countsOf(plan);
  if (total === 0) return 'Nothing is meant, and nothing would move.';
  const moveText = `${scheduled} would move, ${plural(counts.replicasMoved, 'replica')}`;
  const rest = [
    [noChange, 'would stay where they are'],
    [counts.held, 'held'],
    [counts.skipped, 'would be skipped'],
    [failed, 'would fail'],
  ] as const;
  const texts = rest.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `Of ${plural(total, 'resource')}: ${[moveText, ...texts].join('; ')}.`;
};

const standingAfter = (
  standing: ScheduleTriggerStatus['standing'],
  { scheduled, failed, replicasMoved }: TriggerCounts,
  finishTime: string | undefined,
  nowMs: number,
): Pick<ScheduleTriggerStatus, 'standing'> => {
  if (standing?.run === undefined) return present({ standing });
  if (finishTime === undefined) return { standing };
  const past = { ...standing.run, finishTime, scheduled, failed, replicasMoved };
  return { standing: withPastRun(standing, past, nowMs) };
};

/** The status of a trigger from the verdicts on its targets. */
export const triggerStatus = (
  { metadata, spec, status: before }: ScheduleTrigger,
  targets: readonly JudgedTarget[],
  nowMs: number,
): ScheduleTriggerStatus => {
  const earlierTargets = new Map(
    (before?.targets ?? []).map((target) => [targetKey(target), target]),
  );
  const counts = countsOf(targets);
  const list = targetList(targets, earlierTargets);
  const failures = list.flatMap(failureOf);
  const stands = isStanding(spec);
  const phase = phaseOf(counts, stands);
  const isSameSpec = stands || before?.observedGeneration === metadata.generation;
  const isNewEnd = phase !== 'Running' && (phase !== before?.phase || !isSameSpec);
  const finishTime =
    phase === 'Running' ? undefined : isNewEnd ? formatTime(nowMs) : before?.finishTime;
  const condition = {
    type: 'Complete',
    status: phase === 'Success' ? 'True' : 'False',
    reason: REASONS[phase],
    message: summaryOf(counts),
  } as const;
  return {
    phase,
    observedGeneration: metadata.generation ?? 0,
    startTime: (isSameSpec ? before?.startTime : undefined) ?? formatTime(nowMs),
    ...present({ finishTime }),
    counts,
    ...present({ targets: unlessEmpty(list), failedResourceList: unlessEmpty(failures) }),
    ...standingAfter(before?.standing, counts, finishTime, nowMs),
    conditions: setCondition(before?.conditions, condition, nowMs),
  };
};
