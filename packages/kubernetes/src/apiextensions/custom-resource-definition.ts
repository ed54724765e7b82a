import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';

interface DefinitionParts {
  readonly spec: JsonObject;
  readonly status?: JsonObject;
}

export type CustomResourceDefinition = KubeObject & DefinitionParts;

export const CustomResourceDefinition: ResourceKind<
  CustomResourceDefinition,
  WrittenObject & DefinitionParts
> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};
