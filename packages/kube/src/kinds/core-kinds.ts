import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

/** The built-in kinds of Kubernetes that controllers speak of by name. */

export const Namespace: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
};

export const Node: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  scope: 'Cluster',
};

export const Pod: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  scope: 'Namespaced',
};

interface SecretFields {
  readonly type?: string;
  /** Base64. */
  readonly data?: { readonly [key: string]: string };
}

export interface Secret extends KubeObject, SecretFields {}

export const Secret: ResourceKind<Secret, WrittenObject & SecretFields> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
};
