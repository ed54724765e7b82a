import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import type { PodTemplate } from '../core/pod.ts';
import type { WorkloadCondition } from './workload-condition.ts';

/** A number of pods, or a share of them such as `25%`. */
export type IntOrPercent = number | string;

export interface DeploymentSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly progressDeadlineSeconds?: number;
  readonly paused?: boolean;
  readonly selector: LabelSelectorSpec;
  readonly template: PodTemplate;
  readonly strategy?: {
    readonly type?: 'RollingUpdate' | 'Recreate';
    readonly rollingUpdate?: {
      readonly maxSurge?: IntOrPercent;
      readonly maxUnavailable?: IntOrPercent;
    };
  };
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly WorkloadCondition[];
}

interface DeploymentParts {
  readonly spec: DeploymentSpec;
  readonly status?: DeploymentStatus;
}

export type Deployment = KubeObject & DeploymentParts;
export type DeploymentWritten = WrittenObject & DeploymentParts;

export const Deployment: ResourceKind<Deployment, DeploymentWritten> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  scope: 'Namespaced',
};
