import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';

export interface ConfigMap extends KubeObject {
  readonly data?: { readonly [key: string]: string };
  /** Base64. */
  readonly binaryData?: { readonly [key: string]: string };
}

export const CONFIG_MAP: ResourceKind<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
};
