import { int32, list, listMap, map, object, string } from '@perigee/schema/structural/builder';
import { check, immutable, optional, withDefault } from '@perigee/schema/structural/schema';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { duration } from './duration.ts';
import { normaliseJob } from './job-normalise.ts';
import { policies } from './job-policy.ts';
import { jobStatus } from './job-status.ts';
import { MAX_TASKS, task } from './job-task.ts';
import { jobVolumes } from './job-volumes.ts';
import { networkTopology } from './network-topology.ts';
import { objectName } from './object-name.ts';

const FIXED = 'cannot change once the job exists; only the number of pods and the priority can';

const spec = check(
  object('What the job runs, and when it starts.', {
    tasks: check(
      listMap('The tasks of the job.', ['name'], task, { minItems: 1, maxItems: MAX_TASKS }),
      {
        rule: 'self.map(t, t.name) == oldSelf.map(t, t.name)',
        message: 'tasks cannot be added, removed, renamed or reordered once the job exists',
        reason: 'FieldValueForbidden',
      },
    ),
    minAvailable: optional(
      int32(
        'How many pods must be able to start for any to start; the sum over the tasks when left out or 0.',
        { minimum: 0 },
      ),
    ),
    minSuccess: optional(
      immutable(
        int32('How many pods have to end well for the job to be completed.', { minimum: 1 }),
        FIXED,
      ),
    ),
    queue: withDefault(
      'default',
      immutable(objectName('The queue whose share the job uses.'), FIXED),
    ),
    priorityClassName: optional(objectName('The priority class of the job.')),
    schedulerName: withDefault(
      'volcano',
      immutable(
        string('The scheduler of the pods whose template names none.', { maxLength: 63 }),
        FIXED,
      ),
    ),
    policies: optional(
      immutable(policies('What to do when something happens, unless the task says it.'), FIXED),
    ),
    plugins: optional(
      immutable(
        map(
          'What is set up for the job, such as ssh, svc or env: arguments by the name of the plugin.',
          list('The arguments.', string('An argument.')),
        ),
        FIXED,
      ),
    ),
    volumes: optional(jobVolumes('Volumes that are mounted into every container of the job.')),
    maxRetry: withDefault(
      3,
      immutable(
        int32('How often the job may be restarted before it has failed. 0 counts as left out.', {
          minimum: 0,
        }),
        FIXED,
      ),
    ),
    ttlSecondsAfterFinished: optional(
      immutable(
        int32('How long the job is kept when it is done; for ever when left out.', {
          minimum: 0,
        }),
        FIXED,
      ),
    ),
    runningEstimate: optional(
      immutable(duration('How long the job will run, as the user thinks.'), FIXED),
    ),
    networkTopology: optional(
      immutable(networkTopology('How close together the pods have to be.'), FIXED),
    ),
  }),
  {
    rule: '!has(self.minAvailable) || self.minAvailable <= self.tasks.map(t, t.replicas).sum()',
    message: 'must not be more than the replicas of all tasks together',
    fieldPath: '.minAvailable',
  },
  {
    rule: 'has(self.minSuccess) == has(oldSelf.minSuccess) && has(self.policies) == has(oldSelf.policies) && has(self.plugins) == has(oldSelf.plugins) && has(self.volumes) == has(oldSelf.volumes) && has(self.ttlSecondsAfterFinished) == has(oldSelf.ttlSecondsAfterFinished) && has(self.runningEstimate) == has(oldSelf.runningEstimate) && has(self.networkTopology) == has(oldSelf.networkTopology)',
    message:
      'minSuccess, policies, plugins, volumes, ttlSecondsAfterFinished, runningEstimate and networkTopology cannot be added or removed once the job exists',
    reason: 'FieldValueForbidden',
  },
);

/** Pods of several sorts that run to completion together. */
export const Job = defineKind({
  group: 'batch.volcano.sh',
  version: 'v1alpha1',
  kind: 'Job',
  plural: 'jobs',
  scope: 'Namespaced',
  shortNames: ['vcjob', 'vj'],
  doc: 'Pods of several sorts that start together and run to completion.',
  spec,
  status: jobStatus,
  columns: [
    { name: 'Status', type: 'string', path: '.status.state.phase', doc: 'The phase of the job.' },
    {
      name: 'minAvailable',
      type: 'integer',
      path: '.status.minAvailable',
      doc: 'How many pods must be able to start.',
    },
    { name: 'Runnings', type: 'integer', path: '.status.running', doc: 'How many pods run.' },
    { name: 'Queue', type: 'string', path: '.spec.queue', doc: 'Its queue.', priority: 1 },
    {
      name: 'Reason',
      type: 'string',
      path: '.status.state.reason',
      doc: 'Why it is in its phase.',
      priority: 1,
    },
  ],
  normalise: normaliseJob,
});
export type Job = StoredObjectOf<typeof Job>;
export type JobWritten = WrittenObjectOf<typeof Job>;
export type JobSpec = Job['spec'];
export type JobStatus = NonNullable<Job['status']>;
