import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../json.ts';
import { assertNotTooDeep } from './depth.ts';
import { OBJECT_META } from './object-meta-schema.ts';
import type { StructuralSchema } from './structural.ts';
import { type PathStep, renderPath } from './validate/walk.ts';

export interface Decoded {
  readonly value: JsonObject;
  /** The paths of the fields that the schema does not know, sorted; the value is without them. */
  readonly unknownFields: readonly string[];
}

export interface DecodeOptions {
  /** Leaves null where it may not be and nothing stands in for it, so that validation refuses it. */
  readonly keepsNulls?: boolean;
}

/** Brings an object into the form that its schema describes. Never changes its input. */
export type Decoder = (input: JsonObject, options?: DecodeOptions) => Decoded;

interface DecodeWalk {
  readonly path: PathStep[];
  readonly unknown: string[];
  readonly keepsNulls: boolean;
}

type Decode = (value: JsonValue, walk: DecodeWalk) => JsonValue;

/** What may stand in one place: a field, an element of a list, a value of a map. */
interface Slot {
  readonly decode: Decode;
  /** Whether the value is known to need no change. */
  readonly isSettled?: (value: JsonValue) => boolean;
  readonly takesNull: boolean;
  /** Stands in for a value that is absent, or null where null may not be. */
  readonly defaultValue: JsonValue | undefined;
}

type MutableObject = { [name: string]: JsonValue | undefined };

const asIs: Decode = (value) => value;

/** Where nothing is known of a value, its scalars may stay and all fields of its objects go. */
const withoutFields: Decode = (value, walk) => {
  if (Array.isArray(value)) return decodeItems(value, ANYTHING_FLAT, walk);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value);
  for (const name of names) recordUnknown(name, walk);
  return names.length === 0 ? value : {};
};

const ANYTHING_FLAT: Slot = { decode: withoutFields, takesNull: true, defaultValue: undefined };

const recordUnknown = (name: string, walk: DecodeWalk): void => {
  walk.path.push(name);
  walk.unknown.push(renderPath(walk.path));
  walk.path.pop();
};

/** The value for a slot; undefined when there is to be none. */
const fill = (slot: Slot, value: JsonValue, walk: DecodeWalk): JsonValue | undefined =>
  value === null && !slot.takesNull
    ? (slot.defaultValue ?? (walk.keepsNulls ? null : undefined))
    : slot.decode(value, walk);

const decodeItems = (list: JsonArray, slot: Slot, walk: DecodeWalk): JsonArray => {
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] ?? null;
    walk.path.push(index);
    const decoded = fill(slot, item, walk) ?? null;
    walk.path.pop();
    if (decoded === item) continue;
    copy ??= [...list];
    copy[index] = decoded;
  }
  return copy ?? list;
};

const freeze = <T extends JsonValue | undefined>(value: T): T => {
  if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) freeze(child);
    Object.freeze(value);
  }
  return value;
};

/** The default of a slot is decoded once, and shared by all objects that it completes. */
const compileSlot = (schema: StructuralSchema, keepsUnknown = false): Slot => {
  const decode = compileNode(schema, { keepsUnknown, isResource: false });
  const { default: value, nullable = false } = schema;
  const hasDefault = value !== undefined && value !== null;
  return {
    decode,
    takesNull: nullable,
    defaultValue: hasDefault
      ? freeze(decode(structuredClone(value), { path: [], unknown: [], keepsNulls: false }))
      : undefined,
  };
};

/** Knows what it has decoded before: a patch leaves most parts of an object the very same. */
const remembering = (slot: Slot): Slot => {
  const settled = new WeakSet<object>();
  const isSettled = (value: JsonValue): boolean =>
    typeof value === 'object' && value !== null && settled.has(value);
  const decode: Decode = (value, walk) => {
    if (isSettled(value)) return value;
    const before = walk.unknown.length;
    const decoded = slot.decode(value, walk);
    const isSame = decoded === value && walk.unknown.length === before && !walk.keepsNulls;
    if (isSame && typeof value === 'object' && value !== null) settled.add(value);
    return decoded;
  };
  return { ...slot, decode, isSettled };
};

interface NodeOptions {
  /** Unknown fields stay even if the schema itself does not say so. */
  readonly keepsUnknown: boolean;
  /** Whether the node is a whole Kubernetes object. */
  readonly isResource: boolean;
  /** Whether it is that of the decoder itself. */
  readonly isRoot?: boolean;
}

const compileFields = (schema: StructuralSchema, isResource: boolean): Map<string, Slot> => {
  const fields = new Map<string, Slot>();
  if (isResource) {
    const typeField: Slot = { decode: asIs, takesNull: true, defaultValue: undefined };
    fields.set('apiVersion', typeField).set('kind', typeField);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    fields.set(name, compileSlot(property));
  }
  if (isResource) {
    fields.set('metadata', compileSlot(OBJECT_META));
  }
  return fields;
};

const compileNode = (schema: StructuralSchema, options: NodeOptions): Decode => {
  const { items, additionalProperties } = schema;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] ?? options.keepsUnknown;
  const isResource = schema['x-kubernetes-embedded-resource'] ?? options.isResource;
  const { isRoot = false } = options;
  const fields = compileFields(schema, isResource);
  if (isRoot) {
    for (const [name, slot] of fields) {
      // Every write makes new metadata.
      if (name !== 'metadata') fields.set(name, remembering(slot));
    }
  }
  const defaults = [...fields].filter(([, slot]) => slot.defaultValue !== undefined);
  const unnamed =
    typeof additionalProperties === 'object'
      ? compileSlot(additionalProperties)
      : additionalProperties === undefined
        ? undefined
        : ANYTHING_FLAT;
  const item = items ? compileSlot(items, keepsUnknown) : keepsUnknown ? undefined : ANYTHING_FLAT;

  const decodeObject = (object: JsonObject, walk: DecodeWalk): JsonObject => {
    let copy: MutableObject | undefined;
    for (const name in object) {
      const value = object[name];
      if (value === undefined) continue;
      const slot = fields.get(name) ?? unnamed;
      if (isRoot && !slot?.isSettled?.(value)) assertNotTooDeep(value, 1);
      let decoded: JsonValue | undefined = value;
      if (slot !== undefined) {
        walk.path.push(name);
        decoded = fill(slot, value, walk);
        walk.path.pop();
      } else if (!keepsUnknown) {
        recordUnknown(name, walk);
        decoded = undefined;
      }
      if (decoded === value) continue;
      copy ??= { ...object };
      if (decoded === undefined) delete copy[name];
      else copy[name] = decoded;
    }
    for (const [name, { defaultValue }] of defaults) {
      if (Object.hasOwn(object, name) && object[name] !== undefined) continue;
      copy ??= { ...object };
      copy[name] = defaultValue;
    }
    return copy ?? object;
  };

  return (value, walk) => {
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value)) return decodeObject(value as JsonObject, walk);
    return item === undefined ? value : decodeItems(value, item, walk);
  };
};

/**
 * Compiles a schema into one walk that drops unknown fields and fills in defaults, as Kubernetes does:
 * a field that is absent gets its default; null counts as absent where the schema does not take null.
 * Parts of the input that need no change are shared with the result.
 */
export const compileDecoder = (schema: StructuralSchema): Decoder => {
  const decode = compileNode(schema, { keepsUnknown: false, isResource: true, isRoot: true });
  return (input, { keepsNulls = false } = {}) => {
    const walk: DecodeWalk = { path: [], unknown: [], keepsNulls };
    const value = decode(input, walk) as JsonObject;
    return { value, unknownFields: walk.unknown.sort() };
  };
};
