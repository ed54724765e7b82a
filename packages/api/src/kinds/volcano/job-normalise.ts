import { InvalidObjectError } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { checkNewJob } from './job-check.ts';
import { minAvailableOfJob, minAvailableOfTask } from './job-min-available.ts';

/** How many, when that is said in a way that can be counted with; nothing said is none. */
const countOf = (value: JsonValue | undefined): number =>
  value === undefined ? 0 : typeof value === 'number' && value >= 0 ? value : Number.NaN;

const sizeOf = (task: JsonObject) => {
  const { replicas, minAvailable, partitionPolicy } = task;
  return {
    replicas: countOf(replicas),
    ...(minAvailable === undefined ? {} : { minAvailable: countOf(minAvailable) }),
    ...(isJsonObject(partitionPolicy)
      ? {
          partitionPolicy: {
            minPartitions: countOf(partitionPolicy.minPartitions),
            partitionSize: countOf(partitionPolicy.partitionSize),
          },
        }
      : {}),
  };
};

/** A count that cannot be told is left out, so that only the cause of that is refused. */
const minAvailable = (count: number): JsonObject =>
  Number.isNaN(count) ? {} : { minAvailable: count };

/** Without the fields that a program in Go would have left out: the schema’s default takes their place. */
const withoutZeros = (parent: JsonObject, ...fields: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(parent).filter(
      ([field, value]) => !(fields.includes(field) && (value === 0 || value === '')),
    ),
  );

/** A pod on the network of its node would otherwise not find the services of its cluster. */
const withHostDns = (template: JsonObject): JsonObject => {
  const { spec } = template;
  if (!isJsonObject(spec) || spec.hostNetwork !== true || spec.dnsPolicy) return template;
  return { ...template, spec: { ...spec, dnsPolicy: 'ClusterFirstWithHostNet' } };
};

const normaliseTask = (task: JsonValue, index: number): JsonValue => {
  if (!isJsonObject(task)) return task;
  const { template } = task;
  return {
    ...withoutZeros(task, 'maxRetry'),
    name: task.name || `default${index}`,
    ...(task.minAvailable === undefined ? minAvailable(minAvailableOfTask(sizeOf(task))) : {}),
    ...(isJsonObject(template) ? { template: withHostDns(template) } : {}),
  };
};

/** The frameworks find their pods by name, and mpi reaches them by ssh. */
const withNeededPlugins = (plugins: JsonObject): JsonObject => {
  const needsService = ['tensorflow', 'mpi', 'pytorch', 'ray'].some((name) => name in plugins);
  return {
    ...(needsService ? { svc: [] } : {}),
    ...('mpi' in plugins ? { ssh: [] } : {}),
    ...plugins,
  };
};

const normaliseSpec = (spec: JsonObject): JsonObject => {
  const { plugins } = spec;
  const tasks = Array.isArray(spec.tasks) ? spec.tasks.map(normaliseTask) : undefined;
  return {
    ...withoutZeros(spec, 'queue', 'schedulerName', 'maxRetry'),
    ...(tasks ? { tasks } : {}),
    ...(tasks && !spec.minAvailable
      ? minAvailable(minAvailableOfJob({ tasks: tasks.filter(isJsonObject).map(sizeOf) }))
      : {}),
    ...(isJsonObject(plugins) ? { plugins: withNeededPlugins(plugins) } : {}),
  };
};

/**
 * Fills in what follows from the rest of the job. Checks a new job for what the rules of a CRD
 * cannot express within their cost; none of that can change later.
 */
export const normaliseJob = (input: JsonObject, old?: JsonObject): JsonObject => {
  if (!isJsonObject(input.spec)) return input;
  const job = { ...input, spec: normaliseSpec(input.spec) };
  const errors = old === undefined ? checkNewJob(job) : [];
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return job;
};
