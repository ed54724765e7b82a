import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { PodTemplate } from '../core/pod.ts';

interface RevisionParts {
  readonly revision: number;
  readonly data?: { readonly spec: { readonly template: PodTemplate } };
}

export type ControllerRevision = KubeObject & RevisionParts;

export const ControllerRevision: ResourceKind<ControllerRevision, WrittenObject & RevisionParts> = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  scope: 'Namespaced',
};
