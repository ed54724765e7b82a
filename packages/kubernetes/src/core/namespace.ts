import type { Condition } from '@perigee/api/meta/condition';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

interface NamespaceParts {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

export type Namespace = KubeObject & NamespaceParts;

export const Namespace: ResourceKind<Namespace, WrittenObject & NamespaceParts> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
};
