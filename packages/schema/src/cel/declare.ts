import type { StructuralSchema } from '../structural/structural-schema.ts';
import { celNameOf, isSelectableKeyword } from './escape.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  type ListIdentity,
  listOf,
  mapOf,
  type ObjectField,
  STRING,
  TIMESTAMP,
} from './types.ts';

const NAME: StructuralSchema = { type: 'string' };

/** The fields of a whole Kubernetes object that expressions may use, whatever its schema. */
const RESOURCE_FIELDS: { readonly [name: string]: StructuralSchema } = {
  apiVersion: NAME,
  kind: NAME,
  metadata: { type: 'object', properties: { name: NAME, generateName: NAME } },
};

/** The fields of a whole object: as they are declared, if all that it takes is, with the right types. */
export const resourceProperties = ({
  properties = {},
}: StructuralSchema): NonNullable<StructuralSchema['properties']> => {
  const { apiVersion, kind, metadata } = properties;
  const { name, generateName } = metadata?.properties ?? {};
  const isDeclared =
    [apiVersion, kind, name, generateName].every((text) => text?.type === 'string') &&
    metadata?.type === 'object';
  return isDeclared ? properties : { ...properties, ...RESOURCE_FIELDS };
};

const identityOf = (schema: StructuralSchema): ListIdentity => {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return 'set';
    case 'map':
      return schema['x-kubernetes-list-map-keys'] ?? 'order';
    default:
      return 'order';
  }
};

const stringType = (format: string | undefined): CelType => {
  switch (format) {
    case 'byte':
      return BYTES;
    case 'duration':
      return DURATION;
    case 'date':
    case 'date-time':
      return TIMESTAMP;
    default:
      return STRING;
  }
};

const objectType = (schema: StructuralSchema, isResource: boolean): CelType => {
  const properties = isResource ? resourceProperties(schema) : (schema.properties ?? {});
  const fields = new Map<string, ObjectField>();
  for (const [name, property] of Object.entries(properties)) {
    const celName = celNameOf(name);
    const type = declareType(property);
    if (celName === undefined || type === undefined) continue;
    fields.set(celName, { name, type });
    if (isSelectableKeyword(name)) fields.set(name, { name, type });
  }
  return { kind: 'object', fields };
};

/**
 * The type that values of a schema have in CEL; nothing when expressions cannot use them, because the
 * schema does not describe them.
 */
export const declareType = (
  schema: StructuralSchema,
  isResource = schema['x-kubernetes-embedded-resource'] ?? false,
): CelType | undefined => {
  if (schema['x-kubernetes-int-or-string']) return DYN;
  switch (schema.type) {
    case 'array': {
      const item = schema.items && declareType(schema.items);
      return item && listOf(item, identityOf(schema));
    }
    case 'object': {
      if (typeof schema.additionalProperties !== 'object') return objectType(schema, isResource);
      const value = declareType(schema.additionalProperties);
      return value && mapOf(STRING, value);
    }
    case 'string':
      return stringType(schema.format);
    case 'integer':
      return INT;
    case 'number':
      return DOUBLE;
    case 'boolean':
      return BOOL;
    default:
      return undefined;
  }
};
