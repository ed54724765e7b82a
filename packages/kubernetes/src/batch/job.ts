import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import type { WorkloadCondition } from '../apps/workload-condition.ts';
import type { PodTemplate } from '../core/pod.ts';

export type PodFailureAction = 'FailJob' | 'Ignore' | 'Count' | 'FailIndex';

export interface PodFailureRule {
  readonly action: PodFailureAction;
  readonly onExitCodes?: {
    readonly containerName?: string;
    readonly operator: 'In' | 'NotIn';
    readonly values: readonly number[];
  };
  readonly onPodConditions?: readonly { readonly type: string; readonly status: string }[];
}

export interface SuccessRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: 'NonIndexed' | 'Indexed';
  readonly backoffLimit?: number;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend?: boolean;
  readonly manualSelector?: boolean;
  readonly managedBy?: string;
  readonly podReplacementPolicy?: 'TerminatingOrFailed' | 'Failed';
  readonly podFailurePolicy?: { readonly rules: readonly PodFailureRule[] };
  readonly successPolicy?: { readonly rules: readonly SuccessRule[] };
  readonly selector?: LabelSelectorSpec;
  readonly template: PodTemplate;
}

export interface JobStatus {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly uncountedTerminatedPods?: {
    readonly succeeded?: readonly string[];
    readonly failed?: readonly string[];
  };
  readonly conditions?: readonly WorkloadCondition[];
}

interface JobParts {
  readonly spec: JobSpec;
  readonly status?: JobStatus;
}

export type Job = KubeObject & JobParts;
export type JobWritten = WrittenObject & JobParts;

export const Job: ResourceKind<Job, JobWritten> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  scope: 'Namespaced',
};

export const isJobFinished = ({ status }: Job): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
