import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { PastRun, StandingState } from '@perigee/api/kinds/placement/schedule-trigger-status';
import { parseCron } from '@perigee/api/values/cron-schedule';
import { nextTime } from '@perigee/api/values/cron-times';
import { present, unlessEmpty } from '@perigee/schema/present';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import { dueReturns, observeReturns } from './cluster-returns.ts';
import { quietFor } from './quiet-hours.ts';

const DAY_MS = 86_400_000;
const DEFAULT_RUNS_PER_DAY = 24;
/** Past runs kept beyond a day, for users to inspect. */
const MOST_OLD_RUNS = 5;

type Run = NonNullable<StandingState['run']>;

export interface StandingStep {
  readonly state: StandingState;
  /** The run that starts now. */
  readonly begins?: Run;
  /** The delay before the next evaluation without events. */
  readonly nextMs: number;
}

export const isStanding = ({ schedule, onClusters }: ScheduleTrigger['spec']): boolean =>
  schedule !== undefined || onClusters !== undefined;

/** Adds a finished run to the history. */
export const withPastRun = (state: StandingState, run: PastRun, nowMs: number): StandingState => {
  const runs = [...(state.recentRuns ?? []), run];
  const recent = runs.filter(({ startTime }) => parseTime(startTime) > nowMs - DAY_MS);
  const old = runs.slice(0, runs.length - recent.length).slice(-MOST_OLD_RUNS);
  return { ...state, recentRuns: [...old, ...recent] };
};

/** The time from which the budget allows another run. */
const budgetMs = (
  { budget }: ScheduleTrigger['spec'],
  { recentRuns = [] }: StandingState,
  nowMs: number,
): number => {
  const most = budget?.maxRunsPerDay ?? DEFAULT_RUNS_PER_DAY;
  const starts = recentRuns.map(({ startTime }) => parseTime(startTime));
  const recent = starts.filter((at) => at > nowMs - DAY_MS);
  const oldest = recent.at(-most);
  return oldest === undefined ? nowMs : oldest + DAY_MS;
};

/**
 * Decides whether a standing trigger runs now, or when. Missed times are combined into one run.
 * Throws a ParseError for an invalid schedule or time zone.
 */
export const nextRun = (
  { metadata, spec, status }: ScheduleTrigger,
  clusters: readonly MemberCluster[],
  nowMs: number,
): StandingStep => {
  const before = status?.standing ?? { since: formatTime(nowMs) };
  const sinceMs = parseTime(before.since);
  const { schedule, timeZone, onClusters } = spec;
  const returns =
    onClusters === undefined
      ? undefined
      : observeReturns(before.clusters ?? [], clusters, onClusters, { sinceMs, nowMs });
  const { nextRunTime: _, clusters: __, ...remainder } = before;
  const state = { ...remainder, ...present({ clusters: returns?.length ? returns : undefined }) };

  const lastMs = parseTime(before.lastScheduleTime ?? metadata.creationTimestamp);
  const scheduledMs =
    schedule === undefined
      ? Infinity
      : (nextTime(parseCron(schedule), lastMs, timeZone) ?? Infinity);
  const homecomings =
    onClusters === undefined || returns === undefined
      ? []
      : dueReturns(returns, clusters, onClusters, sinceMs);
  const dueMs = Math.min(scheduledMs, ...homecomings.map((one) => one.dueMs));
  if (dueMs === Infinity) return { state, nextMs: Infinity };
  // A run is identified by the second of its start.
  const apartMs = before.run === undefined ? nowMs : parseTime(before.run.startTime) + 1000;
  const allowedMs = Math.max(dueMs, apartMs, budgetMs(spec, before, nowMs));
  const startMs = Math.max(allowedMs, nowMs) + quietFor(spec, Math.max(allowedMs, nowMs));
  if (startMs > nowMs || spec.suspend === true) {
    const nextRunTime = formatTime(startMs);
    const isSuspended = spec.suspend === true;
    return {
      state: isSuspended ? state : { ...state, nextRunTime },
      nextMs: isSuspended ? Infinity : startMs - nowMs,
    };
  }

  const ready = homecomings.filter((one) => one.dueMs <= nowMs);
  const names = ready.map(({ name }) => name);
  const isScheduled = scheduledMs <= nowMs;
  const cause = isScheduled ? 'Schedule' : (ready[0]?.cause ?? 'ClusterReturned');
  const begins: Run = {
    startTime: formatTime(nowMs),
    cause,
    ...present({ clusters: isScheduled ? undefined : names }),
  };
  const dealtWith = (state.clusters ?? []).map((one) =>
    names.includes(one.name) ? { ...one, isDone: true } : one,
  );
  return {
    begins,
    nextMs: 0,
    state: {
      ...state,
      run: begins,
      ...present({
        lastScheduleTime: isScheduled ? formatTime(nowMs) : undefined,
        clusters: unlessEmpty(dealtWith),
      }),
    },
  };
};
