import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import type { PodTemplate } from '../core/pod.ts';
import type { IntOrPercent } from './deployment.ts';

export interface DaemonSetSpec {
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector: LabelSelectorSpec;
  readonly template: PodTemplate;
  readonly updateStrategy?: {
    readonly type?: 'RollingUpdate' | 'OnDelete';
    readonly rollingUpdate?: { readonly maxUnavailable?: IntOrPercent };
  };
}

export interface DaemonSetStatus {
  readonly observedGeneration?: number;
  readonly currentNumberScheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberMisscheduled: number;
  readonly numberReady: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly updatedNumberScheduled?: number;
}

interface DaemonSetParts {
  readonly spec: DaemonSetSpec;
  readonly status?: DaemonSetStatus;
}

export type DaemonSet = KubeObject & DaemonSetParts;

export const DaemonSet: ResourceKind<DaemonSet, WrittenObject & DaemonSetParts> = {
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  scope: 'Namespaced',
};
