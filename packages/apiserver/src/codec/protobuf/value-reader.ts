import { builtinTable } from '@perigee/kubernetes/types/table';
import { parseType, type TypeExpression } from '@perigee/kubernetes/types/type-expression';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { readSchemaOrArray, readSchemaOrBool, readSchemaOrStrings } from './json-schema-unions.ts';
import { setField } from './set-field.ts';
import {
  readIntOrString,
  readJson,
  readMicroTime,
  readQuantity,
  readTime,
} from './special-values.ts';
import { BYTES, WireReader } from './wire-reader.ts';

type Read = (reader: WireReader) => JsonValue;

/** Reads the values of a field; a list or a map takes what came before and adds to it. */
export interface ValueReader {
  readonly read: (reader: WireReader, soFar?: JsonValue) => JsonValue;
  /** Value of the field if it is absent. */
  readonly zero: () => JsonValue;
}

type StructReaders = (name: string) => (reader: WireReader) => JsonObject;

const scalar = (read: Read, zero: JsonValue): ValueReader => ({
  read: (reader) => read(reader),
  zero: () => zero,
});

const SCALARS: ReadonlyMap<string, ValueReader> = new Map([
  ['string', scalar((reader) => reader.text(), '')],
  ['bool', scalar((reader) => reader.bool(), false)],
  ['int32', scalar((reader) => reader.int32(), 0)],
  ['int64', scalar((reader) => reader.int64(), 0)],
  ['float64', scalar((reader) => reader.float64(), 0)],
  ['bytes', scalar((reader) => reader.bytes().toString('base64'), null)],
]);

const PACKABLE = new Set(['bool', 'int32', 'int64']);

const inMessage =
  (read: Read): Read =>
  (reader) => {
    const outerEnd = reader.enter();
    const value = read(reader);
    reader.leave(outerEnd);
    return value;
  };

const message = (read: Read, zero: JsonValue): ValueReader => scalar(inMessage(read), zero);

const SPECIAL_MESSAGES: ReadonlyMap<string, ValueReader> = new Map([
  ['Time', message(readTime, null)],
  ['MicroTime', message(readMicroTime, null)],
  ['Quantity', message(readQuantity, '0')],
  ['IntOrString', message(readIntOrString, 0)],
  ['RawExtension', message(readJson, null)],
  ['FieldsV1', message(readJson, null)],
  ['JSON', message(readJson, null)],
]);

const UNIONS: ReadonlyMap<string, (reader: WireReader, readSchema: Read) => JsonValue> = new Map([
  ['JSONSchemaPropsOrArray', readSchemaOrArray],
  ['JSONSchemaPropsOrBool', readSchemaOrBool],
  ['JSONSchemaPropsOrStringArray', readSchemaOrStrings],
]);

/** A message without any field: all of its fields are zero. */
const NOTHING = new WireReader(new Uint8Array());

const namedReader = (name: string, structs: StructReaders): ValueReader => {
  const builtinReader = SCALARS.get(name) ?? SPECIAL_MESSAGES.get(name);
  if (builtinReader !== undefined) return builtinReader;
  const union = UNIONS.get(name);
  if (union !== undefined) {
    const readSchema = inMessage((reader) => structs('apiextensions.v1.JSONSchemaProps')(reader));
    return message((reader) => union(reader, readSchema), null);
  }
  const type = builtinTable().types[name];
  if (type === undefined) throw new Error(`no built-in type ${name}`);
  if ('enum' in type) return namedReader('string', structs);
  if ('list' in type) return wrappedListReader(type.list, structs);
  return {
    read: inMessage((reader) => structs(name)(reader)),
    zero: () => structs(name)(NOTHING),
  };
};

const listReader = (type: TypeExpression, structs: StructReaders): ValueReader => {
  const item = valueReader(type, structs);
  const isPackable = type.form === 'named' && PACKABLE.has(type.name);
  return {
    read: (reader, soFar = []) => {
      const list = soFar as JsonValue[];
      if (!isPackable || reader.wireType !== BYTES) list.push(item.read(reader));
      else {
        const outerEnd = reader.enter();
        while (reader.nextPacked()) list.push(item.read(reader));
        reader.leave(outerEnd);
      }
      return list;
    },
    zero: () => null,
  };
};

/** A list that is a value of a map is a message with one field. */
const wrappedListReader = (items: string, structs: StructReaders): ValueReader => {
  const list = listReader(parseType(items), structs);
  return message((reader) => {
    let value: JsonValue = [];
    while (reader.nextField()) {
      if (reader.fieldNumber === 1) value = list.read(reader, value);
      else reader.skip();
    }
    return value;
  }, null);
};

const mapReader = (type: TypeExpression, structs: StructReaders): ValueReader => {
  const entry = valueReader(type, structs);
  return {
    read: (reader, soFar = {}) => {
      const map = soFar as { [key: string]: JsonValue };
      let key = '';
      let value: JsonValue | undefined;
      const outerEnd = reader.enter();
      while (reader.nextField()) {
        if (reader.fieldNumber === 1) key = reader.text();
        else if (reader.fieldNumber === 2) value = entry.read(reader);
        else reader.skip();
      }
      reader.leave(outerEnd);
      setField(map, key, value ?? entry.zero());
      return map;
    },
    zero: () => null,
  };
};

/** Reader for values of a type; `structs` provides the readers of nested structs on demand. */
export const valueReader = (type: TypeExpression, structs: StructReaders): ValueReader => {
  switch (type.form) {
    case 'list':
      return listReader(type.of, structs);
    case 'map':
      return mapReader(type.of, structs);
    case 'pointer':
      return { read: valueReader(type.of, structs).read, zero: () => null };
    case 'named':
      return namedReader(type.name, structs);
  }
};

/** True if the type is a struct in Go, even if JSON shows it as something else. */
export const isStruct = (type: TypeExpression): boolean => {
  if (type.form !== 'named' || SCALARS.has(type.name)) return false;
  const namedType = builtinTable().types[type.name];
  return namedType === undefined || 'fields' in namedType;
};
