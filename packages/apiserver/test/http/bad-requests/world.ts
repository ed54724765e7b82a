import type { JsonObject } from '@perigee/schema/json';
import {
  CONFIG_MAPS,
  configMap,
  DEPLOYMENTS,
  deployment,
  GROUP,
  NAMESPACE,
  SERVICES,
  WIDGETS,
  widget,
} from './bad-request.ts';

const WIDGET_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 100 },
        color: { type: 'string', enum: ['red', 'green'] },
        code: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        parts: {
          type: 'array',
          maxItems: 2,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, count: { type: 'integer' } },
          },
        },
        fixed: {
          type: 'string',
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }],
        },
        low: { type: 'integer' },
        high: { type: 'integer' },
      },
      'x-kubernetes-validations': [
        {
          rule: '!has(self.low) || !has(self.high) || self.low <= self.high',
          message: 'low must not be above high',
        },
      ],
    },
    status: { type: 'object', properties: { seen: { type: 'integer' } } },
  },
};

const DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: WIDGET_SCHEMA },
      },
    ],
  },
};

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Made {
  readonly path: string;
  readonly object: JsonObject;
}

/** Objects that the requests need, in the order of their creation. */
export const WORLD: readonly [Made, ...Made[]] = [
  {
    path: '/api/v1/namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
  },
  { path: DEFINITIONS, object: DEFINITION },
  { path: CONFIG_MAPS, object: configMap({ name: 'present' }, { data: { k: 'v' } }) },
  {
    path: CONFIG_MAPS,
    object: configMap({ name: 'sealed' }, { data: { k: 'v' }, immutable: true }),
  },
  { path: DEPLOYMENTS, object: deployment('present', { replicas: 0 }) },
  {
    path: SERVICES,
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'present' },
      spec: { type: 'ExternalName', externalName: 'example.com' },
    },
  },
  { path: WIDGETS, object: widget({ name: 'present' }, { size: 1, fixed: 'a' }) },
];
