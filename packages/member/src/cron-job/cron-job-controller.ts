import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { refOf } from '@perigee/kube/client/ref-of';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { OwnWrites } from '@perigee/kube/controller/own-writes';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { CronJob, type CronJobStatus } from '@perigee/kubernetes/batch/cron-job';
import { isJobFinished, Job, type JobWritten } from '@perigee/kubernetes/batch/job';
import { objectReferenceTo } from '@perigee/kubernetes/core/event';
import { ParseError } from '@perigee/schema/errors';
import { present, unlessEmpty } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import { controlledBy, controllerIndex } from '../owned/controller-index.ts';
import { writeStatus } from '../status/write-status.ts';
import { decideCronJob } from './decide-cron-job.ts';

const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The name is derived from the scheduled time, so that a time gets one job only. */
const jobFor = (cron: CronJob, moment: number): JobWritten => {
  const { metadata, spec } = cron.spec.jobTemplate;
  const { name, namespace = '' } = cron.metadata;
  return {
    metadata: {
      ...metadata,
      name: `${name}-${Math.floor(moment / 60_000)}`,
      namespace,
      annotations: { ...metadata?.annotations, [SCHEDULED]: formatTime(moment) },
      ownerReferences: [ownerReferenceTo(cron, { controller: true, blockOwnerDeletion: true })],
    },
    spec,
  };
};

const remove = async (client: Client, jobs: readonly Job[]): Promise<void> => {
  for (const job of jobs) {
    const { uid } = job.metadata;
    const options = { propagationPolicy: 'Background', preconditions: { uid } } as const;
    await client.delete(Job, refOf(job), options).catch(ignoreNotFound);
  }
};

const lastSuccess = (jobs: readonly Job[]): string | undefined =>
  jobs
    .map(({ status }) => status?.completionTime)
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);

const reconcile = async (
  cron: CronJob,
  writes: OwnWrites<CronJob>,
  { client, cache, clock, events }: ReconcileContext,
): Promise<ReconcileResult> => {
  const now = clock.now();
  const jobs = controlledBy(cache(Job), cron);
  let decision: ReturnType<typeof decideCronJob>;
  try {
    decision = decideCronJob(cron, jobs, now);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    events.warning(cron, 'UnparseableSchedule', `unparseable schedule: ${error.message}`);
    return undefined;
  }
  const { start, replace, drop, next } = decision;
  await remove(client, [...replace, ...drop]);
  const createdJob =
    start === undefined ? undefined : await ensure(client, Job, jobFor(cron, start));
  if (createdJob !== undefined)
    events.normal(cron, 'SuccessfulCreate', `Created job ${createdJob.metadata.name}`);
  const active = jobs.filter((job) => !isJobFinished(job) && !replace.includes(job));
  const references = [...active, ...(createdJob === undefined ? [] : [createdJob])].map(
    objectReferenceTo,
  );
  const succeeded = lastSuccess(jobs) ?? cron.status?.lastSuccessfulTime;
  const { active: _, ...before } = cron.status ?? {};
  const status: CronJobStatus = {
    ...before,
    ...present({
      active: unlessEmpty(references),
      lastScheduleTime: start === undefined ? undefined : formatTime(start),
      lastSuccessfulTime: succeeded,
    }),
  };
  const writtenCron = await writeStatus(client, CronJob, cron, status);
  writes.note(writtenCron, cache(CronJob).get(cron.metadata));
  return next === undefined ? undefined : { requeueAfterMs: Math.max(1, next - now) };
};

/** Creates the jobs of CronJobs on schedule. */
export const cronJobController = (): ControllerDefinition => {
  const writes = new OwnWrites<CronJob>();
  return defineController({
    name: 'cronjob-controller',
    for: CronJob,
    concurrency: 4,
    indexes: [controllerIndex(Job)],
    watches: [
      writes.seenBy(CronJob),
      watch(Job, {
        map: ({ metadata }) => {
          const owner = metadata.ownerReferences?.find(({ controller }) => controller);
          if (owner?.kind !== 'CronJob') return [];
          return [{ namespace: metadata.namespace ?? '', name: owner.name }];
        },
      }),
    ],
    reconcile: async (ref, context) => {
      const cron = context.cache(CronJob).get(ref);
      if (cron === undefined || writes.isStale(cron)) return undefined;
      return reconcile(cron, writes, context);
    },
  });
};
