import type { StructuralSchema } from './structural-schema.ts';

const text: StructuralSchema = { type: 'string' };
const flag: StructuralSchema = { type: 'boolean' };
const number: StructuralSchema = { type: 'integer', format: 'int64' };
const time: StructuralSchema = { type: 'string', format: 'date-time', nullable: true };
const texts: StructuralSchema = { type: 'object', additionalProperties: text };

/** The fields of `metadata`, which every object has and no schema of a kind spells out. */
export const OBJECT_META: StructuralSchema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: number,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: number,
    labels: texts,
    annotations: texts,
    finalizers: { type: 'array', items: text },
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: flag,
          blockOwnerDeletion: flag,
        },
      },
    },
    managedFields: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          manager: text,
          operation: text,
          apiVersion: text,
          time,
          fieldsType: text,
          fieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          subresource: text,
        },
      },
    },
  },
};
