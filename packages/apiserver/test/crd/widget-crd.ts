import type { JsonObject } from '@perigee/schema/json';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
};

export const widgetVersion = (changes: JsonObject = {}): JsonObject => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: SCHEMA },
  ...changes,
});

/** A small CRD that is right, with some of it changed. */
export const widgetCrd = (spec: JsonObject = {}, rest: JsonObject = {}): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [widgetVersion()],
    ...spec,
  },
  ...rest,
});
