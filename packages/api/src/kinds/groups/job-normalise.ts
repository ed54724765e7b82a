import { InvalidObjectError } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { keepUnchanged } from '../../kind/keep-unchanged.ts';
import { itemsAt, mapItems, mapObject, objectAt } from '../../kind/reshape.ts';
import { checkNewJob } from './job-check.ts';
import { minAvailableOfJob, minAvailableOfTask } from './job-min-available.ts';

/** A count to calculate with: 0 if absent, NaN if it is not a number, or negative. */
const countOf = (value: JsonValue | undefined): number =>
  value === undefined ? 0 : typeof value === 'number' && value >= 0 ? value : Number.NaN;

const sizeOf = (task: JsonObject) => {
  const { replicas, minAvailable, partitionPolicy } = task;
  return {
    replicas: countOf(replicas),
    ...present({
      minAvailable: minAvailable === undefined ? undefined : countOf(minAvailable),
      partitionPolicy: isJsonObject(partitionPolicy)
        ? {
            minPartitions: countOf(partitionPolicy.minPartitions),
            partitionSize: countOf(partitionPolicy.partitionSize),
          }
        : undefined,
    }),
  };
};

/** A count that cannot be computed is left out, so that only the cause of that is refused. */
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
const withHostDns = (podSpec: JsonObject): JsonObject =>
  podSpec.hostNetwork === true && !podSpec.dnsPolicy
    ? { ...podSpec, dnsPolicy: 'ClusterFirstWithHostNet' }
    : podSpec;

const normaliseTask = (task: JsonObject, index: number): JsonObject => ({
  ...mapObject(withoutZeros(task, 'maxRetry'), 'template', (template) =>
    mapObject(template, 'spec', withHostDns),
  ),
  ...(task.name === undefined || task.name === '' ? { name: `default${index}` } : {}),
  ...(task.minAvailable === undefined ? minAvailable(minAvailableOfTask(sizeOf(task))) : {}),
});

/** The frameworks find their pods by name, and mpi reaches them by ssh. */
const withNeededPlugins = (plugins: JsonObject): JsonObject => {
  const needsService = ['tensorflow', 'mpi', 'pytorch', 'ray'].some((name) => name in plugins);
  return {
    ...(needsService ? { svc: [] } : {}),
    ...('mpi' in plugins ? { ssh: [] } : {}),
    ...plugins,
  };
};

const normaliseSpec = (input: JsonObject): JsonObject => {
  const withTasks = mapItems(
    withoutZeros(input, 'queue', 'schedulerName', 'maxRetry'),
    'tasks',
    normaliseTask,
  );
  const spec = mapObject(withTasks, 'plugins', withNeededPlugins);
  if (!Array.isArray(spec.tasks) || spec.minAvailable) return spec;
  const tasks = spec.tasks.filter(isJsonObject).map(sizeOf);
  return { ...spec, ...minAvailable(minAvailableOfJob({ tasks })) };
};

const keepUnchangedSpec = (spec: JsonObject, old: JsonObject): JsonObject => {
  const oldTasks = new Map(itemsAt([old, 'spec'], 'tasks').map(([task]) => [task.name, task]));
  const tasked = mapItems(spec, 'tasks', (task) => {
    const oldTask = oldTasks.get(task.name);
    return oldTask ? keepUnchanged(task, oldTask, ['template', 'policies', 'dependsOn']) : task;
  });
  return keepUnchanged(tasked, old, ['policies', 'volumes']);
};

/**
 * Fills in what follows from the rest of the job. Checks a new job for what the rules of a CRD
 * cannot express within their cost; none of that can change later.
 */
export const normaliseJob = (input: JsonObject, old?: JsonObject): JsonObject => {
  const job = mapObject(input, 'spec', normaliseSpec);
  if (old !== undefined) {
    const oldSpec = objectAt(old, 'spec');
    return oldSpec ? mapObject(job, 'spec', (spec) => keepUnchangedSpec(spec, oldSpec)) : job;
  }
  const errors = checkNewJob(job);
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return job;
};
