import type { JsonObject } from '@perigee/schema/json';

const GROUP = 'differential.perigee.dev';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const ANYTHING = { 'x-kubernetes-preserve-unknown-fields': true };

const definition = (
  [kind, plural, scope]: readonly [string, string, string],
  properties: JsonObject,
  subresources: JsonObject = {},
): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${GROUP}` },
  spec: {
    group: GROUP,
    scope,
    names: { kind, plural, singular: kind.toLowerCase() },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties } },
        subresources,
      },
    ],
  },
});

const widgetSpec: JsonObject = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 100 },
    replicas: { type: 'integer', minimum: 0, default: 1 },
    colour: { type: 'string', enum: ['red', 'green', 'blue'], default: 'blue' },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: INTEGER, protocol: { type: 'string', default: 'TCP' }, name: TEXT },
      },
    },
    tags: {
      type: 'array',
      maxItems: 4,
      'x-kubernetes-list-type': 'set',
      items: { type: 'string', pattern: '^[a-z]+$' },
    },
    numbers: { type: 'array', 'x-kubernetes-list-type': 'set', items: INTEGER },
    steps: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: TEXT },
    point: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { x: INTEGER, y: { type: 'integer', default: 9 } },
      'x-kubernetes-validations': [{ rule: 'self.x <= self.y', message: 'x must not exceed y' }],
      required: ['x'],
    },
    limits: {
      type: 'object',
      additionalProperties: { 'x-kubernetes-int-or-string': true },
    },
    amount: { 'x-kubernetes-int-or-string': true },
    nested: {
      type: 'object',
      default: {},
      properties: {
        inner: { type: 'object', properties: { a: TEXT, b: { type: 'string', default: 'bee' } } },
      },
    },
    nullable: { type: 'string', nullable: true },
    when: { type: 'string', format: 'date-time' },
  },
};

const widgetStatus: JsonObject = {
  type: 'object',
  properties: {
    replicas: INTEGER,
    selector: TEXT,
    phase: { type: 'string', enum: ['Ready', 'Waiting'] },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: {
        type: 'object',
        required: ['type', 'status'],
        properties: { type: TEXT, status: TEXT },
      },
    },
  },
};

const shapeSpec: JsonObject = {
  type: 'object',
  properties: {
    kind: TEXT,
    radius: { type: 'number' },
    sides: INTEGER,
    low: { type: 'integer', minimum: 0 },
    high: { type: 'integer', default: 7 },
    names: {
      type: 'array',
      maxItems: 5,
      items: { type: 'string', maxLength: 5 },
      'x-kubernetes-list-type': 'set',
    },
    byName: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['value'],
        properties: { value: INTEGER },
      },
    },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
  'x-kubernetes-validations': [
    { rule: '!has(self.low) || self.low < self.high', fieldPath: '.low' },
    {
      rule: 'self.kind == oldSelf.kind',
      messageExpression: "'the kind stays ' + oldSelf.kind",
      reason: 'FieldValueForbidden',
    },
  ],
  required: ['kind'],
};

/** Definitions that between them use what schemas can say. */
export const DEFINITIONS: readonly JsonObject[] = [
  definition(
    ['Widget', 'widgets', 'Namespaced'],
    { spec: widgetSpec, status: widgetStatus },
    {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    },
  ),
  definition(['Bag', 'bags', 'Namespaced'], {
    spec: {
      type: 'object',
      properties: {
        anything: ANYTHING,
        object: { type: 'object', ...ANYTHING },
        text: TEXT,
      },
    },
    free: { type: 'object', ...ANYTHING },
    status: { type: 'object', ...ANYTHING },
  }),
  definition(
    ['Shape', 'shapes', 'Cluster'],
    {
      spec: shapeSpec,
      status: {
        type: 'object',
        properties: {
          area: { type: 'number' },
          seen: { type: 'array', items: TEXT },
        },
      },
    },
    { status: {} },
  ),
];
