import type { JsonValue } from '@perigee/schema/json';
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
const RESOURCE_FIELDS = { apiVersion: TEXT, kind: TEXT, metadata: METADATA };

/** Identity and type of the items of a list. */
export interface ListType {
  readonly relation: 'atomic' | 'set' | 'map';
  /** The fields that identify an item of a `map`, in the order of their names. */
  readonly keys: readonly { readonly name: string; readonly default: JsonValue | undefined }[];
  readonly item: ValueType;
}

export interface MapType {
  readonly atomic: boolean;
  /** True if the schema declares a field of that name. */
  readonly declares: (field: string) => boolean;
  /** The type of a field; undefined when there may be no such field. */
  readonly field: (field: string) => ValueType | undefined;
}

/** Type of a value, as far as field ownership needs it. */
export interface ValueType {
  readonly scalar: 'any' | 'string' | 'number' | 'boolean' | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
}

const nothing = (): boolean => false;

/** Anything, as one indivisible value. */
const UNTYPED: ValueType = {
  scalar: 'any',
  get list(): ListType {
    return { relation: 'atomic', keys: [], item: UNTYPED };
  },
  map: { atomic: true, declares: nothing, field: () => UNTYPED },
};

/** Anything; objects have fields with owners of their own. */
const DEDUCED: ValueType = {
  scalar: 'any',
  list: { relation: 'atomic', keys: [], item: UNTYPED },
  map: { atomic: false, declares: nothing, field: () => DEDUCED },
};

type Cache = WeakMap<StructuralSchema, ValueType>;
const caches: { readonly closed: Cache; readonly open: Cache } = {
  closed: new WeakMap(),
  open: new WeakMap(),
};

const scalarOf = (schema: StructuralSchema): ValueType['scalar'] => {
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'boolean') return 'boolean';
  return schema.format === undefined || schema.format === 'byte' ? 'string' : 'any';
};

const mapOf = (schema: StructuralSchema, open: boolean): MapType => {
  const { properties = {}, additionalProperties } = schema;
  const fixed: NonNullable<StructuralSchema['properties']> =
    schema['x-kubernetes-embedded-resource'] === true ? RESOURCE_FIELDS : {};
  const isFree =
    additionalProperties === undefined
      ? open || Object.keys({ ...properties, ...fixed }).length === 0
      : additionalProperties === true;
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    declares: (field) => Object.hasOwn(fixed, field) || Object.hasOwn(properties, field),
    field: (field) => {
      const fixedType = Object.hasOwn(fixed, field) ? fixed[field] : undefined;
      if (fixedType !== undefined) return typeOf(fixedType);
      const own = Object.hasOwn(properties, field) ? properties[field] : additionalProperties;
      if (typeof own === 'object') return typeOf(own, open);
      return isFree ? DEDUCED : undefined;
    },
  };
};

/** Keys of a list by its schema; for built-in kinds also the merge key of patches. */
const listKeys = (
  schema: StructuralSchema,
): { readonly relation: ListType['relation']; readonly names: readonly string[] } => {
  const relation = schema['x-kubernetes-list-type'];
  if (relation === 'map') return { relation, names: schema['x-kubernetes-list-map-keys'] ?? [] };
  if (relation !== undefined) return { relation, names: [] };
  if (!schema['x-kubernetes-patch-strategy']?.split(',').includes('merge')) {
    return { relation: 'atomic', names: [] };
  }
  const key = schema['x-kubernetes-patch-merge-key'];
  return key === undefined ? { relation: 'set', names: [] } : { relation: 'map', names: [key] };
};

const listOf = (schema: StructuralSchema, open: boolean): ListType => {
  const { items } = schema;
  const { relation, names } = listKeys(schema);
  const fields = items?.properties ?? {};
  return {
    relation,
    keys: names.toSorted().map((name) => ({
      name,
      default: Object.hasOwn(fields, name) ? fields[name]?.default : undefined,
    })),
    get item() {
      return items === undefined ? UNTYPED : typeOf(items, open);
    },
  };
};

/**
 * The type of the values of a schema. `open` means that a schema above preserves unknown fields, and so do all
 * below it.
 */
const typeOf = (schema: StructuralSchema, open = false): ValueType => {
  const isOpen = open || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const cache = isOpen ? caches.open : caches.closed;
  let type = cache.get(schema);
  if (type === undefined) {
    const kind = schema['x-kubernetes-int-or-string'] ? undefined : schema.type;
    const isAny = kind === undefined;
    type = {
      scalar: isAny ? 'any' : kind === 'object' || kind === 'array' ? undefined : scalarOf(schema),
      list: isAny || kind === 'array' ? listOf(schema, isOpen) : undefined,
      map: isAny || kind === 'object' ? mapOf(schema, isOpen) : undefined,
    };
    cache.set(schema, type);
  }
  return type;
};

const resources = new WeakMap<StructuralSchema, StructuralSchema>();

/** The type of the objects of a kind. */
export const objectTypeOf = (schema: StructuralSchema): ValueType => {
  let resource = resources.get(schema);
  if (resource === undefined) {
    resource = { ...schema, 'x-kubernetes-embedded-resource': true };
    resources.set(schema, resource);
  }
  return typeOf(resource);
};
