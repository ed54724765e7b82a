import { structNamed, type TableField } from '@perigee/kubernetes/types/table';
import { parseType } from '@perigee/kubernetes/types/type-expression';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { setField } from './set-field.ts';
import { isStruct, type ValueReader, valueReader } from './value-reader.ts';
import type { WireReader } from './wire-reader.ts';

/** Reads a message, up to the end of the reader, into the JSON that Go makes of the same struct. */
export type MessageReader = (reader: WireReader) => JsonObject;

interface Slot {
  /** Empty for a struct whose fields are fields of the outer one. */
  readonly name: string;
  readonly number: number;
  readonly value: ValueReader;
  readonly isOmitted: (value: JsonValue) => boolean;
}

const messageReaders = new Map<string, MessageReader>();

/** The reader of a built-in struct, such as `core.v1.Pod`; made on first use. */
export const messageReader = (typeName: string): MessageReader => {
  const cachedReader = messageReaders.get(typeName);
  if (cachedReader !== undefined) return cachedReader;
  const newReader = compile(typeName);
  messageReaders.set(typeName, newReader);
  return newReader;
};

const never = (): boolean => false;

/** Go never omits a struct that is not a pointer, even if it is empty, unless its tag has `omitzero`. */
const omission = ({ type, omit }: TableField): Slot['isOmitted'] => {
  if (omit === 'zero') return isNull;
  if (omit === undefined || isStruct(parseType(type))) return never;
  return type.startsWith('*') ? isNull : isEmpty;
};

const isNull = (value: JsonValue): boolean => value === null;

const isEmpty = (value: JsonValue): boolean =>
  value === null || value === '' || value === 0 || value === false;

const toSlot = (field: TableField): Slot => ({
  name: field.name,
  number: field.number,
  value: valueReader(parseType(field.type), messageReader),
  isOmitted: omission(field),
});

const compile = (typeName: string): MessageReader => {
  const slots: readonly Slot[] = structNamed(typeName).fields.map((field) =>
    'inline' in field
      ? {
          name: '',
          number: field.number,
          value: valueReader({ form: 'named', name: field.inline }, messageReader),
          isOmitted: never,
        }
      : toSlot(field),
  );
  const indexOfNumber: number[] = [];
  for (const [index, { number }] of slots.entries()) indexOfNumber[number] = index;

  const readFields = (reader: WireReader): (JsonValue | undefined)[] => {
    const values: (JsonValue | undefined)[] = new Array(slots.length);
    while (reader.nextField()) {
      const index = indexOfNumber[reader.fieldNumber] ?? -1;
      const slot = slots[index];
      if (slot === undefined) reader.skip();
      else values[index] = readSlot(slot, reader, values[index]);
    }
    return values;
  };

  return (reader) => {
    const values = readFields(reader);
    const object: { [name: string]: JsonValue } = {};
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index] as Slot;
      const value = values[index] ?? slot.value.zero();
      if (slot.name === '') Object.assign(object, value);
      else if (!slot.isOmitted(value)) setField(object, slot.name, value);
    }
    return object;
  };
};

const readSlot = (slot: Slot, reader: WireReader, soFar: JsonValue | undefined): JsonValue => {
  try {
    return slot.value.read(reader, soFar);
  } catch (error) {
    reader.trail.unshift(slot.name);
    throw error;
  }
};
