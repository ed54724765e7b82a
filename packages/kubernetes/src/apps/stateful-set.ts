import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import type { PersistentVolumeClaimWritten } from '../core/persistent-volume-claim.ts';
import type { PodTemplate } from '../core/pod.ts';

export interface StatefulSetSpec {
  readonly replicas?: number;
  readonly serviceName?: string;
  readonly minReadySeconds?: number;
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
  readonly revisionHistoryLimit?: number;
  readonly ordinals?: { readonly start?: number };
  readonly selector: LabelSelectorSpec;
  readonly template: PodTemplate;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaimWritten[];
  readonly updateStrategy?: {
    readonly type?: 'RollingUpdate' | 'OnDelete';
    readonly rollingUpdate?: { readonly partition?: number };
  };
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
}

interface StatefulSetParts {
  readonly spec: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}

export type StatefulSet = KubeObject & StatefulSetParts;

export const StatefulSet: ResourceKind<StatefulSet, WrittenObject & StatefulSetParts> = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  scope: 'Namespaced',
};
