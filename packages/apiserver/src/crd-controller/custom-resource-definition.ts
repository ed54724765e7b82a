import type { JsonObject } from '@perigee/api/json';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

export interface StoredCrd extends KubeObject {
  readonly spec: JsonObject;
  readonly status?: JsonObject;
}

type WrittenCrd = WrittenObject & { readonly spec: JsonObject; readonly status?: JsonObject };

export const CustomResourceDefinition: ResourceKind<StoredCrd, WrittenCrd> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

/** A definition as the functions see it that work on plain JSON. */
export const crdJson = (crd: StoredCrd): JsonObject => crd as unknown as JsonObject;
