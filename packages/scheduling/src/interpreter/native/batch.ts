import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { numberIn, objectIn, objectsIn, pick, textIn, withField } from '../fields.ts';
import type { KindInterpreter } from '../interpreter.ts';
import { statusesOf } from './generations.ts';
import { podTemplateAt, replicasAt } from './workload.ts';

const apiVersion = 'batch/v1';

const conditionOf = (status: JsonObject, ...types: readonly string[]): JsonObject | undefined =>
  objectsIn(status, 'conditions').find(
    (condition) => types.includes(textIn(condition, 'type')) && condition.status === 'True',
  );

/** RFC 3339 times sort as text. */
const latest = (times: readonly string[]): string => times.toSorted().at(-1) ?? '';
const earliest = (times: readonly string[]): string => times.toSorted()[0] ?? '';

/** A condition that clusters report, since the last of them did. */
const jointCondition = (
  reports: readonly JsonObject[],
  reported: string,
  condition: { readonly type: string; readonly reason: string; readonly message: string },
): JsonObject => {
  const times = reports.map((status) =>
    textIn(conditionOf(status, reported) ?? {}, 'lastTransitionTime'),
  );
  const since = latest(times);
  const { type, ...words } = condition;
  return {
    type,
    status: 'True',
    ...words,
    ...(since === '' ? {} : { lastProbeTime: since, lastTransitionTime: since }),
  };
};

/** The conditions of a Job that failed somewhere. It is going to fail, and has failed once nothing of it runs. */
const failureConditions = (
  items: readonly AggregatedStatusItem[],
  reports: readonly JsonObject[],
  before: JsonObject,
): readonly JsonObject[] => {
  const failures = items.filter(
    ({ status }) => status !== undefined && conditionOf(status as JsonObject, 'Failed'),
  );
  const names = failures.map(({ clusterName }) => clusterName).join(',');
  const words = {
    reason: 'JobFailed',
    message: `Job executed failed in member clusters ${names}`,
  };
  // As the API server has it: what is going to fail does not complete any more.
  const earlier = conditionOf(before, 'FailureTarget');
  const target =
    failures.length > 0
      ? jointCondition(reports, 'Failed', { type: 'FailureTarget', ...words })
      : earlier;
  if (target === undefined) return [];
  const isRunning = reports.some((status) => (numberIn(status, 'active') ?? 0) > 0);
  return isRunning ? [target] : [target, { ...target, type: 'Failed' }];
};

const successConditions = (
  items: readonly AggregatedStatusItem[],
  reports: readonly JsonObject[],
): readonly JsonObject[] => {
  const isReportedByAll = (type: string): boolean =>
    items.length > 0 &&
    reports.length === items.length &&
    reports.every((status) => conditionOf(status, type) !== undefined);
  if (!isReportedByAll('Complete')) return [];
  // Clusters before Kubernetes 1.31 do not report it, and an API server of today wants it.
  const criteria = isReportedByAll('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Complete';
  return [
    jointCondition(reports, 'Complete', {
      type: 'Complete',
      reason: 'Completed',
      message: 'Job completed',
    }),
    jointCondition(reports, criteria, {
      type: 'SuccessCriteriaMet',
      reason: 'CompletionsReached',
      message: 'All member clusters have met success criteria',
    }),
  ];
};

/**
 * A Job completes once it has completed in every cluster. It fails if it failed in any, once nothing of it runs: the
 * API server takes no other. A finished status is final.
 */
const aggregateJob = (template: JsonObject, items: readonly AggregatedStatusItem[]): JsonObject => {
  const before = objectIn(template, 'status');
  if (conditionOf(before, 'Complete', 'Failed') !== undefined) return template;
  const reports = statusesOf(items);
  const sum = (field: string): number =>
    reports.reduce((total, status) => total + (numberIn(status, field) ?? 0), 0);
  const timesOf = (field: string): readonly string[] =>
    reports.map((status) => textIn(status, field)).filter((time) => time !== '');
  const ifAll = (times: readonly string[]): readonly string[] =>
    times.length === items.length ? times : [];
  const failure = failureConditions(items, reports, before);
  const conditions = failure.length > 0 ? failure : successConditions(items, reports);
  const startTimes = timesOf('startTime');
  const startTime =
    textIn(before, 'startTime') || earliest(failure.length > 0 ? startTimes : ifAll(startTimes));
  const completionTime = failure.length > 0 ? '' : latest(ifAll(timesOf('completionTime')));
  const status: { [field: string]: JsonValue } = {
    active: sum('active'),
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    ...present({
      conditions: unlessEmpty(conditions),
      startTime: unlessEmpty(startTime),
      completionTime: unlessEmpty(completionTime),
    }),
  };
  return { ...template, status };
};

/** Keeps the selector labels that the member's API server generated. */
const retainSelector = (desired: JsonObject, observed: JsonObject): JsonObject =>
  [
    ['spec', 'selector', 'matchLabels'],
    ['spec', 'template', 'metadata', 'labels'],
  ].reduce((result, path) => {
    const labels = objectIn(observed, ...path);
    return Object.keys(labels).length === 0 ? result : withField(result, path, labels);
  }, desired);

/**
 * Keeps the completions of a finished Job, which nobody can change. Its clusters may get other shares when one of them
 * is removed.
 */
const retainCompletions = (desired: JsonObject, observed: JsonObject): JsonObject => {
  const completions = numberIn(observed, 'spec', 'completions');
  const isFinished = conditionOf(objectIn(observed, 'status'), 'Complete', 'Failed') !== undefined;
  return isFinished && completions !== undefined
    ? withField(desired, ['spec', 'completions'], completions)
    : desired;
};

export const job: KindInterpreter = {
  apiVersion,
  kind: 'Job',
  ...replicasAt('parallelism'),
  ...podTemplateAt('spec', 'template', 'spec'),
  /** No more pods run at a time than completions remain. */
  demand: (object) => {
    const demand = replicasAt('parallelism').demand(object);
    const completions = numberIn(object, 'spec', 'completions') ?? demand.replicas;
    return { ...demand, replicas: Math.min(demand.replicas, completions) };
  },
  retain: (desired, observed) => retainCompletions(retainSelector(desired, observed), observed),
  reflect: ({ status }) =>
    status === undefined
      ? undefined
      : pick(status as JsonObject, [
          'active',
          'succeeded',
          'failed',
          'conditions',
          'startTime',
          'completionTime',
        ]),
  aggregate: aggregateJob,
};

export const cronJob: KindInterpreter = {
  apiVersion,
  kind: 'CronJob',
  ...podTemplateAt('spec', 'jobTemplate', 'spec', 'template', 'spec'),
  aggregate: (template, items) => {
    const reports = statusesOf(items);
    const active = reports.flatMap((status) => objectsIn(status, 'active'));
    const last = (field: string): JsonObject => {
      const time = latest(reports.map((status) => textIn(status, field)));
      return time === '' ? {} : { [field]: time };
    };
    const status = {
      ...present({ active: unlessEmpty(active) }),
      ...last('lastScheduleTime'),
      ...last('lastSuccessfulTime'),
    };
    return { ...template, status };
  },
};
