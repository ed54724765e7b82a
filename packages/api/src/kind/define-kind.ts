import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { Schema, StoredOf, WrittenOf } from '@perigee/schema/structural/schema';
import type {
  StructuralSchema,
  ValidationRule,
} from '@perigee/schema/structural/structural-schema';
import type { KubeObject, ObjectMeta, WrittenMeta } from '../meta/object-meta.ts';
import type { ResourceKind } from '../meta/resource-kind.ts';
import { withOtherSpellings } from './other-spellings.ts';

/** A column of `kubectl get`. Columns with a priority above 0 appear in `-o wide` only. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly path: string;
  readonly doc: string;
  readonly priority?: number;
}

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** Turns another spelling of an object into the canonical one. Pure; `old` is the stored object on an update. */
export type Normaliser = (input: JsonObject, old?: JsonObject) => JsonObject;

export interface KindDefinition<Spec extends Schema, Status extends Schema> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
  /** Categories beside `perigee`, which every kind has. */
  readonly categories?: readonly string[];
  readonly doc: string;
  readonly spec: Spec;
  /** Absent for a kind that has no status. */
  readonly status?: Status;
  /** For kinds of others that have fields beside the spec, which are kept as they are. */
  readonly keepsUnknownFields?: true;
  /** False for a kind whose status is a plain field; otherwise it is written apart from the rest. */
  readonly statusSubresource?: false;
  readonly scale?: ScaleSubresource;
  readonly columns?: readonly PrinterColumn[];
  /** Fields beside the name by which lists and watches can select, such as `.spec.type`; 8 at most. */
  readonly selectableFields?: readonly string[];
  /** CEL rules over the whole object. */
  readonly rules?: readonly ValidationRule[];
  /**
   * Spellings accepted on input, by the path of the canonical field (`spec.flavors[].flavorID`).
   * They stand beside that field, are part of the CRD so that a server does not prune them before
   * admission sees them, and never get stored.
   */
  readonly otherSpellings?: { readonly [path: string]: readonly string[] };
  /** Fields accepted on input that `normalise` moves elsewhere: path → one sentence on where to. */
  readonly movedFields?: { readonly [path: string]: string };
  /** Runs after the renames of `otherSpellings`. */
  readonly normalise?: Normaliser;
}

/** A kind of Perigee's language: everything that follows from its one definition hangs on this. */
export interface Kind<S extends KubeObject = KubeObject, W = unknown> extends ResourceKind<S, W> {
  readonly definition: KindDefinition<Schema, Schema>;
  /** The schema of the whole object in its canonical form. */
  readonly schema: StructuralSchema;
  /** The same, with the other spellings that input may use: what the CRD carries. */
  readonly inputSchema: StructuralSchema;
}

type StoredObject<Spec, Status> = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: StoredOf<Spec>;
  readonly status?: StoredOf<Status>;
};

type WrittenObject<Spec, Status> = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: WrittenMeta;
  readonly spec: WrittenOf<Spec>;
  readonly status?: WrittenOf<Status>;
};

const API_VERSION = 'The version of the schema that this object is written in.';
const KIND = 'The kind of object that this is.';

export const defineKind = <const Spec extends Schema, const Status extends Schema = Schema<never>>(
  definition: KindDefinition<Spec, Status>,
): Kind<StoredObject<Spec, Status>, WrittenObject<Spec, Status>> => {
  const { group, version, kind, plural, scope, doc, spec, status, rules } = definition;
  const schema: StructuralSchema = {
    type: 'object',
    description: doc,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: API_VERSION },
      kind: { type: 'string', description: KIND },
      metadata: { type: 'object' },
      spec: spec.openapi,
      ...present({ status: status?.openapi }),
    },
    ...present({
      'x-kubernetes-preserve-unknown-fields': definition.keepsUnknownFields || undefined,
      'x-kubernetes-validations': rules,
    }),
  };
  const inputSchema = withOtherSpellings(schema, definition);
  return { group, version, kind, plural, scope, definition, schema, inputSchema };
};
