import { QUANTITY } from '@perigee/schema/structural/builder';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

const time: StructuralSchema = { type: 'string', format: 'date-time', nullable: true };
const anything: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true };
const anyObject: StructuralSchema = { type: 'object', ...anything };

const BASE64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

/** The types that are not made of others, and those whose JSON form is not that of a struct. */
const SPECIAL_TYPES: ReadonlyMap<string, StructuralSchema> = new Map<string, StructuralSchema>([
  ['string', { type: 'string' }],
  ['bool', { type: 'boolean' }],
  ['int32', { type: 'integer', format: 'int32' }],
  ['int64', { type: 'integer', format: 'int64' }],
  ['float64', { type: 'number', format: 'double' }],
  // The format `byte` of CRDs does not take the empty string.
  ['bytes', { type: 'string', pattern: BASE64 }],
  ['Time', time],
  ['MicroTime', time],
  ['IntOrString', { 'x-kubernetes-int-or-string': true }],
  // Kubernetes reads `cpu: 0.5` as well, which an int-or-string cannot be.
  ['Quantity', { ...anything, anyOf: [{ type: 'number' }, { type: 'string' }], pattern: QUANTITY }],
  ['RawExtension', { ...anyObject, 'x-kubernetes-map-type': 'atomic' }],
  ['FieldsV1', anyObject],
  ['JSON', anything],
  ['JSONSchemaPropsOrArray', anything],
  ['JSONSchemaPropsOrBool', anything],
  ['JSONSchemaPropsOrStringArray', anything],
]);

export const specialType = (name: string): StructuralSchema | undefined => SPECIAL_TYPES.get(name);
