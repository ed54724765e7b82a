import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { parseTime } from '@perigee/schema/values/time';
import { isMoving } from '../failover/leave-behind.ts';
import type { TargetVerdict, TriggerableBinding } from './judge-target.ts';
import type { TriggerTarget } from './select-targets.ts';

/** A resource with the trigger's verdict. */
export interface JudgedTarget<B extends TriggerableBinding = TriggerableBinding>
  extends TriggerTarget<B> {
  readonly verdict: TargetVerdict;
}

export interface NextTargets<B extends TriggerableBinding> {
  readonly begin: readonly JudgedTarget<B>[];
  /** The delay until the next may start; absent if a running one must finish first. */
  readonly nextMs?: number;
}

const DEFAULT_MAX_CONCURRENT = 100;
const MINUTE_MS = 60_000;

type Budget = Pick<ScheduleTrigger['spec'], 'maxConcurrent' | 'maxPerMinute'>;

/** In progress: not scheduled yet, or old replicas still wait for the new ones. */
const isUnderWay = ({ binding, verdict }: JudgedTarget): boolean =>
  verdict.result === 'Triggered' ||
  (verdict.result === 'Scheduled' && binding !== undefined && isMoving(binding.spec));

/** The number that may start now under the rate limit, spread evenly over a minute. */
const byPace = (
  perMinute: number,
  begunAt: readonly number[],
  nowMs: number,
): { readonly room: number; readonly nextMs: number } => {
  const recent = begunAt.filter((at) => at > nowMs - MINUTE_MS);
  const latest = recent.reduce((late, at) => Math.max(late, Math.min(at, nowMs)), -Infinity);
  const gapMs = Math.max(1000, MINUTE_MS / perMinute);
  if (nowMs < latest + gapMs) return { room: 0, nextMs: latest + gapMs - nowMs };
  const room = Math.min(perMinute - recent.length, Math.max(1, Math.ceil(perMinute / 60)));
  return { room: Math.max(0, room), nextMs: gapMs };
};

const OVER_BUDGET: TargetVerdict = {
  result: 'Skipped',
  reason: 'BudgetExhausted',
  message: 'the run has taken up as many resources as its budget allows',
};

/** Skips pending resources beyond the budget of a run. */
export const withinBudget = <B extends TriggerableBinding>(
  targets: readonly JudgedTarget<B>[],
  mostTargets: number | undefined,
): readonly JudgedTarget<B>[] => {
  if (mostTargets === undefined) return targets;
  let budget = mostTargets - targets.filter((one) => one.verdict.triggeredAt !== undefined).length;
  return targets.map((target) => {
    if (target.verdict.result !== 'Pending') return target;
    budget -= 1;
    return budget >= 0 ? target : { ...target, verdict: OVER_BUDGET };
  });
};

/** The pending resources that start now, within the limits of concurrency and rate. */
export const nextTargets = <B extends TriggerableBinding>(
  targets: readonly JudgedTarget<B>[],
  { maxConcurrent = DEFAULT_MAX_CONCURRENT, maxPerMinute }: Budget,
  nowMs: number,
): NextTargets<B> => {
  const pendingTargets = targets.filter(({ verdict }) => verdict.result === 'Pending');
  if (pendingTargets.length === 0) return { begin: [] };
  const free = Math.max(0, maxConcurrent - targets.filter(isUnderWay).length);
  if (maxPerMinute === undefined) return { begin: pendingTargets.slice(0, free) };
  const begunAt = targets.flatMap(({ verdict: { triggeredAt } }) =>
    triggeredAt === undefined ? [] : [parseTime(triggeredAt)],
  );
  const { room, nextMs } = byPace(maxPerMinute, begunAt, nowMs);
  return { begin: pendingTargets.slice(0, Math.min(free, room)), nextMs };
};
