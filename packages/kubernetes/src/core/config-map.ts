import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

interface ConfigMapFields {
  readonly data?: { readonly [key: string]: string };
  /** Base64. */
  readonly binaryData?: { readonly [key: string]: string };
}

export type ConfigMap = KubeObject & ConfigMapFields;

export const ConfigMap: ResourceKind<ConfigMap, WrittenObject & ConfigMapFields> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
};
