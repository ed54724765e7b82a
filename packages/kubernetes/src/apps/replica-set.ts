import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import type { PodTemplate } from '../core/pod.ts';
import type { WorkloadCondition } from './workload-condition.ts';

export interface ReplicaSetSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly selector: LabelSelectorSpec;
  readonly template: PodTemplate;
}

export interface ReplicaSetStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly WorkloadCondition[];
}

interface ReplicaSetParts {
  readonly spec: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus;
}

export type ReplicaSet = KubeObject & ReplicaSetParts;
export type ReplicaSetWritten = WrittenObject & ReplicaSetParts;

export const ReplicaSet: ResourceKind<ReplicaSet, ReplicaSetWritten> = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  scope: 'Namespaced',
};
