import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

interface PriorityClassFields {
  readonly value: number;
  readonly globalDefault?: boolean;
}

export type PriorityClass = KubeObject & PriorityClassFields;

export const PriorityClass: ResourceKind<PriorityClass, WrittenObject & PriorityClassFields> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  scope: 'Cluster',
};
