import { OBJECT_META } from '@perigee/schema/structural/object-meta-schema';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

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

/** Fields of every resource, which no schema of a kind lists. */
export const RESOURCE_FIELDS = { apiVersion: TEXT, kind: TEXT, metadata: METADATA };
