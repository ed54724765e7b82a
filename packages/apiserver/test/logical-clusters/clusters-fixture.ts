import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

interface Content {
  readonly data?: { readonly [name: string]: string };
}

export const ConfigMap: ResourceKind<KubeObject & Content, WrittenObject & Content> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
};

export const Namespace: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
};

export const inDefault = (name: string) => ({ name, namespace: 'default' });

export const configMap = (name: string, value: string) => ({
  metadata: inDefault(name),
  data: { value },
});
