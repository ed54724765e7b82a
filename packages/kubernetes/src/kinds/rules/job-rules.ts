import { parseCron } from '@perigee/api/values/cron-schedule';
import { type FieldError, invalid, ParseError, required } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { mapAt, numberAt, objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import type { Rule } from '../type-rules.ts';
import { checkedText, checkUnchanged, notEmpty, notNegative } from './checks.ts';
import { checkHostnames, checkIndexes } from './indexed-job-rules.ts';
import type { KindRule, KindRules } from './kind-rule.ts';
import { selects } from './label-selector-rules.ts';
import { checkSelection } from './workload-rules.ts';

/** Problems of the schedule of a CronJob, in the words of Kubernetes. */
const checkSchedule = (schedule: string): readonly string[] => {
  if (schedule.includes('TZ')) {
    return ['cannot use TZ or CRON_TZ in schedule, use timeZone field instead'];
  }
  try {
    parseCron(schedule);
    return [];
  } catch (error) {
    if (error instanceof ParseError) return [error.message];
    throw error;
  }
};

type Errors = readonly FieldError[];

const NUMBERS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

const MANAGER = /^[^/]+\/[^/]+/;

const checkManager = (spec: JsonObject, path: string): Errors => {
  const manager = textAt(spec, 'managedBy');
  const why = 'must be a domain-prefixed path (such as "acme.io/foo")';
  return manager === '' || MANAGER.test(manager)
    ? []
    : [invalid(`${path}.managedBy`, manager, why)];
};

/** The pods of a job come to an end. */
const checkRestart = (spec: JsonObject, path: string): Errors => {
  const policy = textAt(objectAt(spec, 'template', 'spec'), 'restartPolicy');
  const field = `${path}.template.spec.restartPolicy`;
  if (policy === 'Always' || policy === '') {
    return [required(field, 'valid values: "OnFailure", "Never"')];
  }
  return policy === 'OnFailure' && spec.podFailurePolicy !== undefined
    ? [invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
};

const jobSpecRule: Rule = (spec, path) => [
  ...notNegative(spec, path, ...NUMBERS),
  ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
    ? [required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
    : []),
  ...checkManager(spec, path),
  ...checkIndexes(spec, path),
  ...checkRestart(spec, path),
];

export const JOB_RULES: readonly (readonly [type: string, rule: Rule])[] = [
  ['batch.v1.JobSpec', jobSpecRule],
];

const checkGenerated = (job: JsonObject): Errors => {
  const spec = objectAt(job, 'spec');
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const { uid, name } = mapAt(job, 'metadata');
  const labels = {
    'batch.kubernetes.io/controller-uid': uid ?? '',
    'batch.kubernetes.io/job-name': name ?? '',
    'controller-uid': uid ?? '',
    'job-name': name ?? '',
  };
  const templateLabels = mapAt(spec, 'template', 'metadata', 'labels');
  return [
    ...Object.entries(labels).flatMap(([key, value]) => {
      const field = `spec.template.metadata.labels[${key}]`;
      const templateValue = templateLabels[key];
      if (templateValue === undefined) return [required(field, `must be '${value}'`)];
      return templateValue === value ? [] : [invalid(field, templateValue, `must be '${value}'`)];
    }),
    ...(selects(spec.selector, labels) === false
      ? [invalid('spec.selector', objectAt(spec, 'selector'), '`selector` not auto-generated')]
      : []),
  ];
};

const withoutPlacement = (template: JsonObject): JsonObject => {
  const { nodeSelector, tolerations, affinity, schedulingGates, ...pod } = objectAt(
    template,
    'spec',
  );
  const containers = (list: string) =>
    objectsAt(pod, list).map(({ resources, ...container }) => container);
  const { nodeAffinity, ...otherAffinity } = objectAt({ affinity }, 'affinity');
  return {
    spec: {
      ...pod,
      affinity: otherAffinity,
      containers: containers('containers'),
      initContainers: containers('initContainers'),
    },
  };
};

/** True if a job is suspended, and none of its pods run. */
const isAtRest = (job: JsonObject): boolean => {
  const status = objectAt(job, 'status');
  const hasStopped = objectsAt(status, 'conditions').some(
    (condition) => condition.type === 'Suspended' && condition.status === 'True',
  );
  return (
    objectAt(job, 'spec').suspend === true &&
    (status.startTime === undefined || hasStopped) &&
    (numberAt(status, 'active') ?? 0) === 0
  );
};

/** Placement and resources in the pod template can change while a job is suspended and has no active pods. */
const checkTemplate = (spec: JsonObject, old: JsonObject): Errors => {
  const before = objectAt(old, 'spec');
  const isWaiting = isAtRest(old);
  const fixed = isWaiting ? withoutPlacement : (template: JsonObject) => template;
  const template = objectAt(spec, 'template');
  const field = isWaiting ? 'spec.template.spec' : 'spec.template';
  return checkUnchanged(fixed(template), fixed(objectAt(before, 'template')), field);
};

/** A job that counts its pods by index may have others, if all of them may run at once. */
const checkCompletions = (spec: JsonObject, before: JsonObject): Errors => {
  const field = 'spec.completions';
  const { completions = null } = spec;
  if (spec.completionMode !== 'Indexed')
    return checkUnchanged(spec.completions, before.completions, field);
  const isKept = completions === null || completions === before.completions;
  return isKept || completions === spec.parallelism
    ? []
    : [invalid(field, completions, 'can only be modified in tandem with spec.parallelism')];
};

/** The start time of a job cannot change, unless the job begins anew. */
const checkStart = (object: JsonObject, old: JsonObject): Errors => {
  const { startTime: before } = objectAt(old, 'status');
  const { startTime = null } = objectAt(object, 'status');
  const isKept = before === undefined || before === startTime;
  return isKept || objectAt(object, 'spec').suspend === true
    ? []
    : [invalid('status.startTime', startTime, 'field is immutable for unsuspended job once set')];
};

const FIXED = [
  'selector',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const;

const checkJobUpdate = (spec: JsonObject, old: JsonObject): Errors => {
  const before = objectAt(old, 'spec');
  return [
    ...checkCompletions(spec, before),
    ...checkTemplate(spec, old),
    ...FIXED.flatMap((name) => checkUnchanged(spec[name], before[name], `spec.${name}`)),
  ];
};

const job: KindRule = (object, old, subresource) => {
  const spec = objectAt(object, 'spec');
  return [
    ...(spec.selector === undefined ? [required('spec.selector')] : []),
    ...checkSelection(spec),
    ...(subresource === 'status' ? [] : [...checkGenerated(object), ...checkHostnames(object)]),
    ...(old === undefined ? [] : checkJobUpdate(spec, old)),
    ...(old !== undefined && subresource === 'status' ? checkStart(object, old) : []),
  ];
};

const NAMED_ZONE =
  'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';

const checkTimeZone = (zone: string): readonly string[] => {
  if (zone.toLowerCase() === 'local') return [NAMED_ZONE];
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return [];
  } catch {
    return [`unknown time zone ${zone}`];
  }
};

/** Eleven characters are added for the jobs of a cron job, and a job's name makes a label. */
const LONGEST_NAME = 52;

const cronJob: KindRule = (object, old) => {
  const spec = objectAt(object, 'spec');
  const name = textAt(objectAt(object, 'metadata'), 'name');
  // Older ones may have a zone in their schedule.
  const wasZoned = old !== undefined && textAt(objectAt(old, 'spec'), 'schedule').includes('TZ');
  return [
    ...(old === undefined && name.length > LONGEST_NAME
      ? [invalid('metadata.name', name, `must be no more than ${LONGEST_NAME} characters`)]
      : []),
    ...notEmpty(spec, 'spec', 'schedule'),
    ...checkedText(spec, 'spec', 'schedule', wasZoned ? () => [] : checkSchedule),
    ...checkedText(spec, 'spec', 'timeZone', checkTimeZone),
    ...notNegative(
      spec,
      'spec',
      'startingDeadlineSeconds',
      'successfulJobsHistoryLimit',
      'failedJobsHistoryLimit',
    ),
  ];
};

export const JOB_KIND_RULES: KindRules = [
  ['batch.v1.Job', job],
  ['batch.v1.CronJob', cronJob],
];
