import { declareType } from '@perigee/schema/cel/declare';
import { type CelType, DYN } from '@perigee/schema/cel/types';
import type { JsonObject } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

const TEXT: StructuralSchema = { type: 'string' };
const TEXTS: StructuralSchema = { type: 'array', items: TEXT };
const TEXT_MAP: StructuralSchema = { type: 'object', additionalProperties: TEXT };
const TIME: StructuralSchema = { type: 'string', format: 'date-time' };

const object = (properties: { readonly [name: string]: StructuralSchema }): StructuralSchema => ({
  type: 'object',
  properties,
});

const KIND = object({ group: TEXT, version: TEXT, kind: TEXT });
const RESOURCE = object({ group: TEXT, version: TEXT, resource: TEXT });

const REQUEST = object({
  kind: KIND,
  resource: RESOURCE,
  subResource: TEXT,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: TEXT,
  name: TEXT,
  namespace: TEXT,
  operation: TEXT,
  userInfo: object({
    username: TEXT,
    uid: TEXT,
    groups: TEXTS,
    extra: { type: 'object', additionalProperties: TEXTS },
  }),
  dryRun: { type: 'boolean' },
});

const NAMESPACE = object({
  metadata: object({
    name: TEXT,
    generateName: TEXT,
    namespace: TEXT,
    labels: TEXT_MAP,
    annotations: TEXT_MAP,
    UID: TEXT,
    creationTimestamp: TIME,
    deletionGracePeriodSeconds: { type: 'integer' },
    deletionTimestamp: TIME,
    generation: { type: 'integer' },
    resourceVersion: TEXT,
    finalizers: TEXTS,
  }),
  spec: object({ finalizers: TEXTS }),
  status: object({ phase: TEXT }),
});

const declaredType = (schema: StructuralSchema): CelType => declareType(schema) ?? DYN;

/** The request with its options, which may be of any form. */
const requestType = (): CelType => {
  const type = declaredType(REQUEST);
  if (type.kind !== 'object') return type;
  const fields = new Map(type.fields).set('options', { name: 'options', type: DYN });
  return { kind: 'object', fields };
};

export const REQUEST_TYPE = requestType();
export const NAMESPACE_TYPE = declaredType(NAMESPACE);

/** The fields of a namespace that expressions may read. */
export const namespaceFacts = (namespace: JsonObject): JsonObject => {
  const { uid, ...metadata } = namespace.metadata as JsonObject;
  return {
    metadata: uid === undefined ? metadata : { ...metadata, UID: uid },
    spec: namespace.spec ?? {},
    status: namespace.status ?? {},
  };
};
