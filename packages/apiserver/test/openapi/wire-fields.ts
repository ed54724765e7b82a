import { WireReader } from '../../src/codec/protobuf/wire-reader.ts';

type Value = Buffer | number | bigint;

/** The values of a message, by the numbers of their fields. */
export type Fields = ReadonlyMap<number, readonly Value[]>;

const readValue = (reader: WireReader): Value => {
  switch (reader.wireType) {
    case 0:
      return reader.int64();
    case 1:
      return reader.float64();
    default:
      return reader.bytes();
  }
};

/** Takes a message apart; messages in it stay bytes. */
export const fieldsOf = (bytes: Buffer): Fields => {
  const reader = new WireReader(bytes);
  const fields = new Map<number, Value[]>();
  while (reader.nextField()) {
    const { fieldNumber } = reader;
    fields.set(fieldNumber, [...(fields.get(fieldNumber) ?? []), readValue(reader)]);
  }
  return fields;
};

export const textsOf = (fields: Fields, number: number): readonly string[] =>
  (fields.get(number) ?? []).map(String);

export const textOf = (fields: Fields, number: number): string | undefined =>
  textsOf(fields, number)[0];

export const messagesOf = (fields: Fields, number: number): readonly Fields[] =>
  (fields.get(number) ?? []).map((value) => fieldsOf(value as Buffer));

/** The message in a field; one without fields when there is none. */
export const messageOf = (fields: Fields, number: number): Fields =>
  messagesOf(fields, number)[0] ?? new Map();
