import type { JsonValue } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { specialType } from './special-types.ts';
import { builtinTable, defaultOf, fieldsNamed, type TableField, type TableType } from './table.ts';
import { parseType, type TypeExpression } from './type-expression.ts';
import { type Use, useOfField } from './use.ts';

const schemaCache = {
  written: new Map<string, StructuralSchema>(),
  reported: new Map<string, StructuralSchema>(),
};
const underWay = new Set<string>();

/** A schema of a CRD contains itself; from the second level on, its own rules check it. */
const RECURSIVE: StructuralSchema = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
};

/**
 * The schema of a built-in type, such as `core.v1.Pod`. Equal names give the very same schema, which is
 * shared by all that contain it: do not change it.
 */
export const schemaOf = (typeName: string): StructuralSchema => namedSchema(typeName, 'written');

const namedSchema = (name: string, use: Use): StructuralSchema => {
  const special = specialType(name);
  if (special !== undefined) return special;
  const schema = schemaCache[use].get(name);
  if (schema !== undefined) return schema;
  if (underWay.has(name)) return RECURSIVE;
  const type = builtinTable().types[name];
  if (type === undefined) throw new Error(`no built-in type ${name}`);
  underWay.add(name);
  try {
    const schema = typeSchema(name, type, use);
    schemaCache[use].set(name, schema);
    if (schema.properties !== undefined) structs.set(schema.properties, name);
    return schema;
  } finally {
    underWay.delete(name);
  }
};

/** A field describes its type in more detail than the type itself, with the same properties. */
const structs = new WeakMap<object, string>();

/** The name of the type whose schema this is, such as `apps.v1.DeploymentSpec`. */
export const typeOfSchema = ({ properties }: StructuralSchema): string | undefined =>
  properties && structs.get(properties);

/** Values that kube-apiserver does not name in alphabetical order, or not all, when it refuses another. */
const NOT_SORTED: ReadonlyMap<string, readonly string[]> = new Map([
  ['core.v1.RestartPolicy', ['Always', 'OnFailure', 'Never']],
  ['core.v1.DNSPolicy', ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']],
  ['core.v1.PreemptionPolicy', ['PreemptLowerPriority', 'Never']],
  ['core.v1.TolerationOperator', ['Equal', 'Exists']],
  ['batch.v1.CompletionMode', ['NonIndexed', 'Indexed']],
  ['networking.v1.PolicyType', ['Ingress', 'Egress']],
]);

/** Values that rules of the kinds check, because kube-apiserver refuses others in words of their own. */
const CHECKED_BY_RULES = new Set([
  'apps.v1.DaemonSetUpdateStrategyType',
  'apps.v1.DeploymentStrategyType',
  'apps.v1.PodManagementPolicyType',
  'apps.v1.StatefulSetUpdateStrategyType',
  'core.v1.PersistentVolumeAccessMode',
  'core.v1.TaintEffect',
]);

const typeSchema = (name: string, type: TableType, use: Use): StructuralSchema => {
  if ('enum' in type) {
    return use === 'written' && !CHECKED_BY_RULES.has(name)
      ? { type: 'string', enum: NOT_SORTED.get(name) ?? type.enum }
      : { type: 'string' };
  }
  if ('list' in type) return { type: 'array', items: expressionSchema(parseType(type.list), use) };
  const fields = fieldsNamed(name);
  const requiredNames = fields.filter((field) => field.required).map(({ name }) => name);
  const properties = fields.map(
    (field) => [field.name, fieldSchema(field, useOfField(type, field, use))] as const,
  );
  const text: StructuralSchema = { type: 'string' };
  return {
    type: 'object',
    properties: {
      ...(type.isObject ? { apiVersion: text, kind: text } : {}),
      ...Object.fromEntries(properties),
    },
    ...present({
      required: use === 'written' ? unlessEmpty(requiredNames) : undefined,
      'x-kubernetes-map-type': type.structType,
    }),
  };
};

/** Values that Go decodes from null in a map; other types stay null, or are left out. */
const NULL_IN_MAPS: { readonly [type: string]: string } = { string: '', bytes: '', Quantity: '0' };

const mapValueSchema = (type: TypeExpression, use: Use): StructuralSchema => {
  const schema = expressionSchema(type, use);
  const zero = type.form === 'named' ? NULL_IN_MAPS[type.name] : undefined;
  return zero === undefined ? schema : { ...schema, default: zero };
};

const expressionSchema = (type: TypeExpression, use: Use): StructuralSchema => {
  switch (type.form) {
    case 'pointer':
      return expressionSchema(type.of, use);
    case 'list':
      return { type: 'array', items: expressionSchema(type.of, use) };
    case 'map':
      return { type: 'object', additionalProperties: mapValueSchema(type.of, use) };
    case 'named':
      return namedSchema(type.name, use);
  }
};

const fieldSchema = (field: TableField, use: Use): StructuralSchema => {
  const type = parseType(field.type);
  const value = completion(field, type);
  return {
    ...expressionSchema(type, use),
    ...present({
      default: value,
      nullable: takesNull(field, type) || undefined,
      'x-kubernetes-list-type': field.listType,
      'x-kubernetes-list-map-keys': field.listMapKeys,
      'x-kubernetes-map-type': field.mapType,
      'x-kubernetes-patch-strategy': field.patchStrategy,
      'x-kubernetes-patch-merge-key': field.patchMergeKey,
    }),
  };
};

/** A struct that is not a pointer is always there in Go, and so is a quantity. */
const completion = (field: TableField, type: TypeExpression): JsonValue | undefined => {
  const value = defaultOf(field);
  if (value !== undefined) return value;
  if (type.form !== 'named' || field.omit === 'zero') return undefined;
  if (type.name === 'Quantity') return '0';
  const typeEntry = builtinTable().types[type.name];
  return typeEntry !== undefined && 'fields' in typeEntry ? {} : undefined;
};

/** True for fields that Go always writes, as null if they are nil; its clients send them so in requests. */
const takesNull = (field: TableField, type: TypeExpression): boolean => {
  if (type.form === 'named' && type.name === 'RawExtension') return true;
  if (field.omit !== undefined) return false;
  if (type.form === 'pointer') return field.required !== true;
  return type.form !== 'named' || type.name === 'bytes';
};
