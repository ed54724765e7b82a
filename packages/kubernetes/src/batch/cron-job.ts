import type { KubeObject, WrittenMeta } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { ObjectReference } from '../core/event.ts';
import type { JobSpec } from './job.ts';

export interface CronJobSpec {
  readonly schedule: string;
  readonly timeZone?: string;
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
  readonly startingDeadlineSeconds?: number;
  readonly suspend?: boolean;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
  readonly jobTemplate: { readonly metadata?: WrittenMeta; readonly spec: JobSpec };
}

export interface CronJobStatus {
  readonly active?: readonly ObjectReference[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

interface CronJobParts {
  readonly spec: CronJobSpec;
  readonly status?: CronJobStatus;
}

export type CronJob = KubeObject & CronJobParts;

export const CronJob: ResourceKind<CronJob, WrittenObject & CronJobParts> = {
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  scope: 'Namespaced',
};
