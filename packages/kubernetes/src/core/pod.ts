import type { KubeObject, WrittenMeta } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { WrittenResourceList } from '@perigee/api/values/resource-list';
import type { NodeAffinity } from './node-affinity.ts';
import type { PodStatus } from './pod-status.ts';
import type { Toleration } from './taint.ts';

export interface Probe {
  readonly initialDelaySeconds?: number;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly restartPolicy?: string;
  readonly resources?: {
    readonly requests?: WrittenResourceList;
    readonly limits?: WrittenResourceList;
  };
  readonly readinessProbe?: Probe;
  readonly env?: readonly unknown[];
  readonly volumeMounts?: readonly unknown[];
}

export interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly configMap?: { readonly name?: string; readonly optional?: boolean };
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly restartPolicy?: string;
  readonly nodeName?: string;
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly affinity?: { readonly nodeAffinity?: NodeAffinity };
  readonly tolerations?: readonly Toleration[];
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly schedulerName?: string;
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly overhead?: WrittenResourceList;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly hostNetwork?: boolean;
  readonly activeDeadlineSeconds?: number;
  readonly terminationGracePeriodSeconds?: number;
  readonly volumes?: readonly Volume[];
}

export interface PodTemplate {
  readonly metadata?: WrittenMeta;
  readonly spec: PodSpec;
}

export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export interface PodWritten extends WrittenObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export const Pod: ResourceKind<Pod, PodWritten> = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  scope: 'Namespaced',
};

/** Body of a request to `pods/binding`. */
export interface Binding extends WrittenObject {
  readonly target: { readonly kind: 'Node'; readonly name: string };
}

export const PodBinding: ResourceKind<KubeObject, Binding> = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  scope: 'Namespaced',
};
