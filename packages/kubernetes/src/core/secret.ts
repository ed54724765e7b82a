import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

interface SecretFields {
  readonly type?: string;
  /** Base64. */
  readonly data?: { readonly [key: string]: string };
}

export type Secret = KubeObject & SecretFields;

export const Secret: ResourceKind<Secret, WrittenObject & SecretFields> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
};
