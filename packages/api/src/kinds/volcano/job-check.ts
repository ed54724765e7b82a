import { duplicate, type FieldError, forbidden, invalid, required } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { checkDependencies } from './job-dependencies.ts';
import { checkTopologyPolicy } from './job-topology-check.ts';

const objects = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const strings = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** Each event and each exit code has one policy, and `*` leaves nothing for another. */
const checkPolicies = (value: JsonValue | undefined, at: string): readonly FieldError[] => {
  const events = new Map<string, string>();
  const exitCodes = new Set<number>();
  const errors: FieldError[] = [];
  for (const [index, { event, events: more, exitCode }] of objects(value).entries()) {
    const own = new Set([...strings(more), ...(typeof event === 'string' ? [event] : [])]);
    for (const name of own) {
      const field = `${at}[${index}].${name === event ? 'event' : 'events'}`;
      if (events.has(name)) errors.push(duplicate(field, name));
      else events.set(name, field);
    }
    if (typeof exitCode !== 'number') continue;
    if (exitCodes.has(exitCode)) errors.push(duplicate(`${at}[${index}].exitCode`, exitCode));
    exitCodes.add(exitCode);
  }
  const any = events.get('*');
  if (any !== undefined && events.size > 1) {
    errors.push(invalid(any, '*', 'stands for every event, so no other event can have a policy'));
  }
  return errors;
};

/** Volcano makes the claim that is described, and then names it itself. */
const checkVolumes = (value: JsonValue | undefined): readonly FieldError[] =>
  objects(value).flatMap(({ volumeClaim, volumeClaimName }, index) =>
    volumeClaim !== undefined && volumeClaimName
      ? [
          forbidden(
            `spec.volumes[${index}].volumeClaimName`,
            'is given beside volumeClaim; name a claim that exists, or describe a new one',
          ),
        ]
      : [],
  );

const MASTER = /^--?master(?:=(.*))?$/;

const mpiMaster = (args: readonly string[]): string => {
  const index = args.findLastIndex((arg) => MASTER.test(arg));
  return MASTER.exec(args[index] ?? '')?.[1] ?? args[index + 1] ?? 'master';
};

const checkPlugins = (
  plugins: JsonValue | undefined,
  tasks: readonly JsonObject[],
): readonly FieldError[] => {
  if (!isJsonObject(plugins) || plugins.mpi === undefined) return [];
  const master = mpiMaster(strings(plugins.mpi));
  return tasks.some(({ name }) => name === master)
    ? []
    : [required('spec.plugins[mpi]', `there is no task ${master}; name the master by --master=`)];
};

/** The pods are named for the job and the task, and a pod’s name is its host name. */
const checkPodNames = (
  metadata: JsonValue | undefined,
  tasks: readonly JsonObject[],
): readonly FieldError[] => {
  const job = isJsonObject(metadata) ? metadata.name : undefined;
  if (typeof job !== 'string') return [];
  return tasks.flatMap(({ name }, index) =>
    `${job}-${name}-${index}`.length > 63
      ? [
          invalid(
            `spec.tasks[${index}].name`,
            name,
            `together with the name of the job it is too long for the names of pods, which have up to 63 characters`,
          ),
        ]
      : [],
  );
};

/** What is wrong with a new job beyond its schema. Values of a wrong type are left to the schema. */
export const checkNewJob = ({ metadata, spec }: JsonObject): readonly FieldError[] => {
  if (!isJsonObject(spec)) return [];
  const tasks = objects(spec.tasks);
  return [
    ...checkPolicies(spec.policies, 'spec.policies'),
    ...tasks.flatMap(({ policies }, index) =>
      checkPolicies(policies, `spec.tasks[${index}].policies`),
    ),
    ...checkDependencies(
      tasks.map(({ name, dependsOn }) => ({
        name: String(name),
        dependsOn: isJsonObject(dependsOn) ? strings(dependsOn.name) : [],
      })),
    ),
    ...tasks.flatMap((task, index) => checkTopologyPolicy(task, `spec.tasks[${index}]`)),
    ...checkVolumes(spec.volumes),
    ...checkPlugins(spec.plugins, tasks),
    ...checkPodNames(metadata, tasks),
  ];
};
