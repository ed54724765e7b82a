import { OBJECT_META } from '@perigee/api/schema/object-meta-schema';
import type { StructuralSchema } from '@perigee/api/schema/structural';
import { typeOf, type ValueType } from './value-type.ts';

const { ownerReferences, finalizers, managedFields } = OBJECT_META.properties ?? {};

/** `metadata` with the list types that every kind shares. */
const METADATA: StructuralSchema = {
  ...OBJECT_META,
  properties: {
    ...OBJECT_META.properties,
    ownerReferences: {
      ...ownerReferences,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: { ...ownerReferences?.items, 'x-kubernetes-map-type': 'atomic' },
    },
    finalizers: { ...finalizers, 'x-kubernetes-list-type': 'set' },
    managedFields: { ...managedFields, 'x-kubernetes-list-type': 'atomic' },
  },
};

const TEXT: StructuralSchema = { type: 'string' };

const objectSchemas = new WeakMap<StructuralSchema, StructuralSchema>();

/** The type of the objects of a kind: its schema, with the metadata that no schema spells out. */
export const objectTypeOf = (schema: StructuralSchema): ValueType => {
  let whole = objectSchemas.get(schema);
  if (whole === undefined) {
    whole = {
      ...schema,
      properties: { ...schema.properties, apiVersion: TEXT, kind: TEXT, metadata: METADATA },
    };
    objectSchemas.set(schema, whole);
  }
  return typeOf(whole);
};
