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

/** A condition that all clusters report, since the last of them did. */
const jointCondition = (
  reports: readonly JsonObject[],
  type: string,
  reason: string,
  message: string,
): JsonObject => {
  const times = reports.map((status) =>
    textIn(conditionOf(status, type) ?? {}, 'lastTransitionTime'),
  );
  const since = latest(times);
  return {
    type,
    status: 'True',
    reason,
    message,
    ...(since === '' ? {} : { lastProbeTime: since, lastTransitionTime: since }),
  };
};

const jobConditions = (
  items: readonly AggregatedStatusItem[],
  reports: readonly JsonObject[],
): readonly JsonObject[] => {
  const all = (type: string): boolean =>
    items.length > 0 &&
    reports.length === items.length &&
    reports.every((status) => conditionOf(status, type) !== undefined);
  const failures = items.filter(
    ({ status }) => status !== undefined && conditionOf(status as JsonObject, 'Failed'),
  );
  const names = failures.map(({ clusterName }) => clusterName).join(',');
  const failure = `Job executed failed in member clusters ${names}`;
  const successMessage = 'All member clusters have met success criteria';
  return [
    ...(failures.length > 0 ? [jointCondition(reports, 'Failed', 'JobFailed', failure)] : []),
    ...(all('Complete') ? [jointCondition(reports, 'Complete', 'Completed', 'Job completed')] : []),
    ...(all('Complete') && all('SuccessCriteriaMet')
      ? [jointCondition(reports, 'SuccessCriteriaMet', 'CompletionsReached', successMessage)]
      : []),
  ];
};

/**
 * A Job completes once it has completed in every cluster, and fails if it failed in any. A finished
 * status is final.
 */
const aggregateJob = (template: JsonObject, items: readonly AggregatedStatusItem[]): JsonObject => {
  const before = objectIn(template, 'status');
  if (conditionOf(before, 'Complete', 'Failed') !== undefined) return template;
  const reports = statusesOf(items);
  const sum = (field: string): number =>
    reports.reduce((total, status) => total + (numberIn(status, field) ?? 0), 0);
  const times = (field: string): readonly string[] | undefined => {
    const all = reports.map((status) => textIn(status, field));
    return items.length > 0 && all.length === items.length && !all.includes('') ? all : undefined;
  };
  const startTime = textIn(before, 'startTime') || earliest(times('startTime') ?? []);
  const completionTime = latest(times('completionTime') ?? []);
  const conditions = jobConditions(items, reports);
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
  retain: retainSelector,
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
