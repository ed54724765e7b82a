import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../json.ts';
import { assertNotTooDeep, assertWithinDepth } from './depth.ts';
import { OBJECT_META } from './object-meta-schema.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { type PathStep, renderPath } from './walk.ts';

export interface Decoded {
  readonly value: JsonObject;
  /** The paths of the fields that the schema does not know, sorted; the value is without them. */
  readonly unknownFields: readonly string[];
}

export interface DecodeOptions {
  /** Leaves null where it may not be and nothing stands in for it, so that validation refuses it. */
  readonly keepsNulls?: boolean;
  /** Leaves the metadata alone: it was decoded before, and its schema is always the same. */
  readonly knowsMetadata?: boolean;
}

/** Brings an object into the form that its schema describes. Never changes its input. */
export type Decoder = (input: JsonObject, options?: DecodeOptions) => Decoded;

interface DecodeWalk {
  /** The path of each unknown field, innermost step first: it grows as the walk comes back from it. */
  readonly unknown: PathStep[][];
  readonly keepsNulls: boolean;
  readonly knowsMetadata: boolean;
  /** Number of objects and lists around the present value. */
  depth: number;
}

const beginWalk = ({
  keepsNulls = false,
  knowsMetadata = false,
}: DecodeOptions = {}): DecodeWalk => ({ unknown: [], keepsNulls, knowsMetadata, depth: 1 });

type Decode = (value: JsonValue, walk: DecodeWalk) => JsonValue;

/** Schema of one place: a field, an element of a list, a value of a map. */
interface Slot {
  readonly decode: Decode;
  readonly takesNull: boolean;
  /** Stands in for a value that is absent, or null where null may not be. */
  readonly defaultValue: JsonValue | undefined;
}

type MutableObject = { [name: string]: JsonValue | undefined };

const asIs: Decode = (value) => value;

/** Decodes a value without a schema: scalars stay, and all fields of objects are pruned. */
const withoutFields: Decode = (value, walk) => {
  if (Array.isArray(value)) return decodeItems(value, ANYTHING_FLAT, walk);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value);
  for (const name of names) walk.unknown.push([name]);
  return names.length === 0 ? value : {};
};

const ANYTHING_FLAT: Slot = { decode: withoutFields, takesNull: true, defaultValue: undefined };

/** The value for a slot; undefined when there is to be none. */
const fill = (
  slot: Slot,
  value: JsonValue,
  step: PathStep,
  walk: DecodeWalk,
): JsonValue | undefined => {
  if (value === null) {
    if (slot.takesNull) return value;
    return slot.defaultValue ?? (walk.keepsNulls ? null : undefined);
  }
  const { unknown } = walk;
  const before = unknown.length;
  assertWithinDepth(walk.depth);
  walk.depth++;
  const decodedValue = slot.decode(value, walk);
  walk.depth--;
  for (let at = before; at < unknown.length; at++) unknown[at]?.push(step);
  return decodedValue;
};

const decodeItems = (list: JsonArray, slot: Slot, walk: DecodeWalk): JsonArray => {
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] ?? null;
    // Only what is in an object can be unknown or absent.
    if (typeof item !== 'object') continue;
    const decodedItem = fill(slot, item, index, walk) ?? null;
    if (decodedItem === item) continue;
    copy ??= [...list];
    copy[index] = decodedItem;
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
    defaultValue: hasDefault ? freeze(decode(structuredClone(value), beginWalk())) : undefined,
  };
};

/** Knows what it has decoded before: a patch leaves most parts of an object the very same. */
const remembering = (slot: Slot): Slot => {
  const decodedObjects = new WeakSet<object>();
  const decode: Decode = (value, walk) => {
    if (typeof value !== 'object' || value === null || decodedObjects.has(value)) return value;
    const before = walk.unknown.length;
    const decodedValue = slot.decode(value, walk);
    if (decodedValue === value && walk.unknown.length === before && !walk.keepsNulls)
      decodedObjects.add(value);
    return decodedValue;
  };
  return { ...slot, decode };
};

interface NodeOptions {
  /** Unknown fields stay even if the schema itself would drop them. */
  readonly keepsUnknown: boolean;
  /** True if the node is a whole Kubernetes object. */
  readonly isResource: boolean;
  /** True if it is that of the decoder itself. */
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
      let decodedValue: JsonValue | undefined;
      if (slot === undefined) {
        assertNotTooDeep(value, walk.depth);
        if (keepsUnknown) continue;
        walk.unknown.push([name]);
      } else {
        if (typeof value !== 'object') continue;
        if (isRoot && walk.knowsMetadata && name === 'metadata') continue;
        decodedValue = fill(slot, value, name, walk);
        if (decodedValue === value) continue;
      }
      copy ??= { ...object };
      if (decodedValue === undefined) delete copy[name];
      else copy[name] = decodedValue;
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
    if (item !== undefined) return decodeItems(value, item, walk);
    assertNotTooDeep(value, walk.depth - 1);
    return value;
  };
};

/**
 * Compiles a schema into one walk that drops unknown fields and fills in defaults, as Kubernetes does:
 * a field that is absent gets its default; null counts as absent where the schema does not take null.
 * Parts of the input that need no change are shared with the result.
 */
export const compileDecoder = (schema: StructuralSchema): Decoder => {
  const decode = compileNode(schema, { keepsUnknown: false, isResource: true, isRoot: true });
  return (input, options) => {
    const walk = beginWalk(options);
    const value = decode(input, walk) as JsonObject;
    const unknownFields = walk.unknown.map((path) => renderPath(path.reverse()));
    return { value, unknownFields: unknownFields.sort() };
  };
};
