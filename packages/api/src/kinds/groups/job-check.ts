import { duplicate, type FieldError, forbidden, invalid, required } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { itemsAt, type Located, objectAt } from '../../kind/reshape.ts';
import { checkDependencies } from './job-dependencies.ts';
import { checkTopologyPolicy } from './job-topology-check.ts';

const strings = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** Each event and each exit code has one policy, and `*` leaves nothing for another. */
const checkPolicies = (jobOrTask: Located): readonly FieldError[] => {
  const events = new Map<string, string>();
  const exitCodes = new Set<number>();
  const errors: FieldError[] = [];
  for (const [{ event, events: more, exitCode }, at] of itemsAt(jobOrTask, 'policies')) {
    const own = new Set([...strings(more), ...(typeof event === 'string' ? [event] : [])]);
    for (const name of own) {
      const field = `${at}.${name === event ? 'event' : 'events'}`;
      if (events.has(name)) errors.push(duplicate(field, name));
      else events.set(name, field);
    }
    if (typeof exitCode !== 'number') continue;
    if (exitCodes.has(exitCode)) errors.push(duplicate(`${at}.exitCode`, exitCode));
    exitCodes.add(exitCode);
  }
  const any = events.get('*');
  if (any !== undefined && events.size > 1) {
    errors.push(invalid(any, '*', 'stands for every event, so no other event can have a policy'));
  }
  return errors;
};

/** Volcano makes the claim that is described, and then names it itself. */
const checkVolume = ([{ volumeClaim, volumeClaimName }, at]: Located): readonly FieldError[] =>
  volumeClaim !== undefined && volumeClaimName
    ? [
        forbidden(
          `${at}.volumeClaimName`,
          'is given beside volumeClaim; name a claim that exists, or describe a new one',
        ),
      ]
    : [];

const MASTER = /^--?master(?:=(.*))?$/;

const mpiMaster = (args: readonly string[]): string => {
  const index = args.findLastIndex((arg) => MASTER.test(arg));
  return MASTER.exec(args[index] ?? '')?.[1] ?? args[index + 1] ?? 'master';
};

const checkPlugins = (spec: JsonObject, tasks: readonly Located[]): readonly FieldError[] => {
  const mpi = objectAt(spec, 'plugins')?.mpi;
  if (mpi === undefined) return [];
  const master = mpiMaster(strings(mpi));
  return tasks.some(([{ name }]) => name === master)
    ? []
    : [required('spec.plugins[mpi]', `there is no task ${master}; name the master by --master=`)];
};

/** The pods are named for the job and the task, and a pod’s name is its host name. */
const checkPodNames = (job: JsonObject, tasks: readonly Located[]): readonly FieldError[] => {
  const jobName = objectAt(job, 'metadata')?.name;
  if (typeof jobName !== 'string') return [];
  return tasks.flatMap(([{ name }, at], index) =>
    typeof name === 'string' && `${jobName}-${name}-${index}`.length > 63
      ? [
          invalid(
            `${at}.name`,
            name,
            'together with the name of the job it is too long for the names of pods, which have up to 63 characters',
          ),
        ]
      : [],
  );
};

/** Problems of a new job beyond its schema. Values of a wrong type are left to the schema. */
export const checkNewJob = (job: JsonObject): readonly FieldError[] => {
  const spec = objectAt(job, 'spec') ?? {};
  const tasks = itemsAt([spec, 'spec'], 'tasks');
  return [
    ...checkPolicies([spec, 'spec']),
    ...tasks.flatMap(checkPolicies),
    ...checkDependencies(
      tasks.map(([task, at]) => ({
        name: typeof task.name === 'string' ? task.name : '',
        dependsOn: strings(objectAt(task, 'dependsOn')?.name),
        at,
      })),
    ),
    ...tasks.flatMap(checkTopologyPolicy),
    ...itemsAt([spec, 'spec'], 'volumes').flatMap(checkVolume),
    ...checkPlugins(spec, tasks),
    ...checkPodNames(job, tasks),
  ];
};
