import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import type { BackwardWriter } from './backward-writer.ts';

/** Writes a value as a field of a message, and nothing when the value is not of the field's type. */
export type Field = (writer: BackwardWriter, value: JsonValue | undefined) => void;

/** Writes the fields of a message. */
export type Message = (writer: BackwardWriter, value: JsonObject) => void;

export const text =
  (number: number): Field =>
  (writer, value) => {
    if (typeof value === 'string') writer.text(number, value);
  };

export const bool =
  (number: number): Field =>
  (writer, value) => {
    if (typeof value === 'boolean') writer.bool(number, value);
  };

export const int64 =
  (number: number): Field =>
  (writer, value) => {
    const isInteger = typeof value === 'number' && Number.isInteger(value);
    if (isInteger && Math.abs(value) < 2 ** 63) writer.int64(number, value);
  };

export const double =
  (number: number): Field =>
  (writer, value) => {
    if (typeof value === 'number') writer.double(number, value);
  };

export const message =
  (number: number, write: Message): Field =>
  (writer, value) => {
    if (isJsonObject(value)) writer.message(number, () => write(writer, value));
  };

/** A message that has no name in JSON: the value itself is its field. */
export const around =
  (number: number, field: Field): Field =>
  (writer, value) =>
    writer.message(number, () => field(writer, value));

export const repeated =
  (field: Field): Field =>
  (writer, value) => {
    if (Array.isArray(value)) for (const item of value.toReversed()) field(writer, item);
  };

/** Writes a value of one of several types, by the first field that accepts it. */
export const either =
  (...fields: readonly Field[]): Field =>
  (writer, value) => {
    for (const field of fields) field(writer, value);
  };

const mapEntry = (number: number, value: Field) => (writer: BackwardWriter, pair: Pair) =>
  writer.message(number, () => {
    value(writer, pair[1]);
    writer.text(1, pair[0]);
  });

type Pair = readonly [name: string, value: JsonValue | undefined];

/** An object whose keys are data: messages of a name and a value. */
export const map = (number: number, value: Field): Message => {
  const entry = mapEntry(number, value);
  return (writer, object) => {
    for (const pair of Object.entries(object).toReversed()) entry(writer, pair);
  };
};

/** An object whose keys are known, or are extensions, which begin with `x-`. */
export const record = (
  fields: { readonly [key: string]: Field },
  extensions: { readonly number: number; readonly value: Field },
): Message => {
  const fieldsByName = new Map(Object.entries(fields));
  const extension = mapEntry(extensions.number, extensions.value);
  return (writer, object) => {
    for (const [key, value] of Object.entries(object).toReversed()) {
      if (value === undefined) continue;
      if (key.startsWith('x-')) extension(writer, [key, value]);
      else fieldsByName.get(key)?.(writer, value);
    }
  };
};
