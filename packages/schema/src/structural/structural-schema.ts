import type { JsonValue } from '../json.ts';

/** A CEL rule on a schema node, as `x-kubernetes-validations` spells it. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?:
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate';
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The value checks that may also stand inside `allOf`, `anyOf`, `oneOf` and `not`. */
export interface ValueChecks {
  /** Inside the junctors Kubernetes allows a type in one place only: the `anyOf` of an int-or-string. */
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly enum?: readonly JsonValue[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: StructuralSchema };
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly allOf?: readonly ValueChecks[];
  readonly anyOf?: readonly ValueChecks[];
  readonly oneOf?: readonly ValueChecks[];
  readonly not?: ValueChecks;
}

/**
 * OpenAPI v3 as Kubernetes allows it in a CRD: every node has a type (or declares that it keeps
 * unknown fields, or is an int-or-string), so that a server can prune and default by it.
 */
export interface StructuralSchema extends ValueChecks {
  readonly title?: string;
  readonly description?: string;
  readonly default?: JsonValue;
  readonly nullable?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic';
  /** Strategy of strategic merge patches, such as `merge` or `retainKeys`; on built-in kinds only. */
  readonly 'x-kubernetes-patch-strategy'?: string;
  /** The key of the items of a list in a strategic merge patch. */
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}
